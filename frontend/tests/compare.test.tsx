import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, api, NOBODY, open, refuse, signedIn } from './page';

beforeAll(() => api.listen({ onUnhandledRequest: 'error' }));
afterEach(() => api.resetHandlers());
afterAll(() => api.close());
beforeEach(() => {
  signedIn();
  answer('get', '/comparisons', NOBODY);
});

const RUN = { id: 'run-1', name: 'nightly' };

function side(index: number, label: string) {
  return {
    index,
    label,
    run: RUN,
    target: label,
    target_kind: label,
    agent: null,
    started_at: '2026-11-21T12:00:00Z',
    point_count: 1,
    trial_count: 5,
    trials_counted: 5,
    trials_void: index,
  };
}

const CELL = {
  contender: 1,
  parameters: { connections: 64 },
  base_point_id: 'p0',
  contender_point_id: 'p1',
  metric: 'throughput_per_s',
  operation: 'all',
  method: 'paired',
  interval_kind: 't',
  order: 'interleaved',
  n_base: 5,
  n_contender: 5,
  n_pairs: 5,
  base_value: 100_000,
  contender_value: 131_000,
  ratio: 1.31,
  interval: { low: 1.28, high: 1.34 },
  p_value: 0.0001,
  p_adjusted: 0.0002,
  verdict: 'better',
  trials_needed: null,
  trials_needed_low: null,
  trials_needed_high: null,
  visible_change: 0.02,
  difference: null,
  difference_interval: null,
  p_margin: 0.0002,
  p_sign_flip: null,
  refusal: null,
};

const FOUND = {
  algorithm_version: 'compare-1',
  definition: { base: { run_id: 'run-1' }, contenders: [{ run_id: 'run-1' }], margin: 0.02 },
  family_size: 1,
  metrics: [{ name: 'throughput_per_s', title: 'Throughput', unit: 'ops/s', better: 'higher' }],
  parameters: ['connections'],
  operations: ['all', 'get'],
  sides: [side(0, 'memcached'), side(1, 'redis')],
  differences: [
    { kind: 'store_version', path: 'version', values: ['memcached 1.6.18', 'redis 7.0.15'], weight: 100 },
  ],
  refusals: [],
  cells: [CELL],
  curves: [],
  sentence: 'redis against memcached: of 1 cell 1 better, with a margin of 2 %.',
};
const ADDRESS = `/compare?side=${encodeURIComponent(JSON.stringify(['run-1?target=memcached', 'run-1?target=redis']))}`;

describe('the compare page', () => {
  it('teaches what it is for while nothing is chosen', async () => {
    open('/compare');
    expect(await screen.findByRole('heading', { name: 'Which is better?' })).toBeInTheDocument();
    expect(screen.getByRole('button', { name: 'Choose a base' })).toBeInTheDocument();
  });

  it('shows differences above verdicts, and the verdict in words', async () => {
    answer('post', '/comparisons/evaluate', FOUND);
    open(ADDRESS);
    const sentence = await screen.findByRole('heading', { name: FOUND.sentence });
    const differences = screen.getByRole('region', { name: 'Differences' });
    expect(within(differences).getByText('redis 7.0.15')).toBeInTheDocument();
    expect(differences.compareDocumentPosition(sentence) & Node.DOCUMENT_POSITION_FOLLOWING).toBeTruthy();
    const table = screen.getByRole('table', { name: 'Cells' });
    expect(within(table).getByText('better')).toBeInTheDocument();
    expect(within(table).getByText('1.31× [1.28, 1.34]')).toBeInTheDocument();
    const chips = screen.getByRole('group', { name: 'Sides of the comparison' });
    expect(within(chips).getByText('memcached')).toBeInTheDocument();
  });

  it('makes a contender the base, in the URL', async () => {
    answer('post', '/comparisons/evaluate', FOUND);
    const { router } = open(ADDRESS);
    await userEvent.click(await screen.findByRole('button', { name: 'Make redis the base' }));
    await waitFor(() =>
      expect(router.state.location.search).toMatchObject({
        side: ['run-1?target=redis', 'run-1?target=memcached'],
      }),
    );
  });

  it('labels what was measured in two sessions as weaker', async () => {
    answer('post', '/comparisons/evaluate', {
      ...FOUND,
      cells: [{ ...CELL, order: 'sessions', method: 'sessions' }],
    });
    open(ADDRESS);
    expect(
      await screen.findByText(/All cells compare two sessions, judged by how much earlier sessions/),
    ).toBeInTheDocument();
  });

  it('says why sides cannot be compared and keeps what was chosen', async () => {
    refuse(
      'post',
      '/comparisons/evaluate',
      422,
      'side_matches_nothing',
      'The run has no point with target = mongo.',
    );
    const { router } = open(ADDRESS);
    expect(await screen.findByText(/no point with target = mongo/)).toBeInTheDocument();
    expect(router.state.location.search).toHaveProperty('side');
  });

  it('queues an interleaved run and goes there', async () => {
    answer('post', '/comparisons/evaluate', {
      ...FOUND,
      cells: [{ ...CELL, verdict: 'not_enough_data', trials_needed: 7 }],
    });
    let asked: unknown;
    api.use(
      http.post('http://localhost:3000/api/v1/comparisons/queue-trials', async ({ request }) => {
        asked = await request.json();
        return HttpResponse.json({ id: 'run-9', name: 'More trials', trial_count: 24 }, { status: 201 });
      }),
    );
    refuse('get', '/runs/run-9', 404, 'not_found', 'There is no such run.');
    const { router } = open(ADDRESS);
    await userEvent.click(await screen.findByRole('button', { name: 'Queue 12 trials a point' }));
    await waitFor(() => expect(router.state.location.pathname).toBe('/runs/run-9'));
    expect(asked).toMatchObject({ definition: { base: { target: 'memcached' } }, trials_per_point: null });
  });
});
