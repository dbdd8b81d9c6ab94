import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { parse, stringify } from 'yaml';
import { operation, point, run } from './fixtures';
import { answer, api, NOBODY, open, refuse, signedIn } from './page';

beforeAll(() => api.listen({ onUnhandledRequest: 'error' }));
afterEach(() => {
  api.resetHandlers();
  sessionStorage.clear();
});
afterAll(() => api.close());

const { definition: _definition, axes: _axes, current_trial: _current, ...LISTED } = run();
const FINISHED = {
  ...LISTED,
  id: 'run-2',
  name: '<img src=x onerror=alert(1)>',
  status: 'succeeded',
  finished_at: '2026-11-21T12:05:00Z',
};
const DEFINITION = {
  ...run().definition,
  targets: [{ kind: 'redis', profile: 'none', options: {}, name: 'Redis' }],
};
const RECIPE = {
  slug: 'memcached-vs-redis',
  title: 'memcached against Redis',
  question: 'Which?',
  summary: 'Nine gets to one set.',
  study: false,
  place: 1,
  sizes: [{ size: 'quick', estimated_s: 55, trial_count: 3, definition: DEFINITION }],
};
const PREVIEW = {
  points: [{ ordinal: 0, parameters: { target: 'Redis', connections: 1 } }],
  point_count: 1,
  trial_count: 3,
  estimated_s: 40,
  finish_at: '2026-11-21T12:05:00Z',
  refusals: [],
  warnings: [],
  agents: [],
};

describe('signing in', () => {
  it('is asked for, and leads back to where one wanted to go', async () => {
    refuse('get', '/me', 401, 'unauthenticated', 'Sign in first.');
    const { router } = open('/runs?q=redis');
    expect(await screen.findByRole('heading', { name: 'Sign in to Loadstone' })).toBeInTheDocument();
    answer('post', '/session', {
      user: { id: 'u', email: 'a@b.c', name: 'Ada' },
      team: { id: 't', name: 'T' },
      role: 'admin',
    });
    answer('get', '/runs', NOBODY);
    await userEvent.type(screen.getByLabelText(/E-mail/), 'a@b.c');
    await userEvent.type(screen.getByLabelText(/Password/), 'secret{Enter}');
    await waitFor(() => expect(router.state.location.href).toBe('/runs?q=redis'));
  });

  it('keeps what was typed when it is refused, and says why', async () => {
    refuse('get', '/me', 401, 'unauthenticated', 'Sign in first.');
    refuse('post', '/session', 401, 'wrong_credentials', 'E-mail and password do not fit.');
    open('/sign-in');
    await userEvent.type(await screen.findByLabelText(/E-mail/), 'a@b.c');
    await userEvent.type(screen.getByLabelText(/Password/), 'wrong{Enter}');
    expect(await screen.findByRole('alert')).toHaveTextContent(/do not fit.*wrong_credentials/);
    expect(screen.getByLabelText(/E-mail/)).toHaveValue('a@b.c');
  });
});

describe('inside', () => {
  beforeEach(signedIn);

  it('an empty installation offers the one thing to do', async () => {
    answer('get', '/runs', NOBODY);
    answer('get', '/recipes', { items: [RECIPE] });
    answer('get', '/agents', NOBODY);
    refuse('post', '/runs', 422, 'plan_refused', 'No agent can take it.');
    open('/');
    await userEvent.click(await screen.findByRole('button', { name: 'Measure this machine' }));
    expect(await screen.findByRole('alert')).toHaveTextContent(/No agent can take it.*plan_refused/);
    expect(screen.getByRole('link', { name: 'enroll this machine' })).toHaveAttribute('href', '/agents');
  });

  it('runs that cannot be read say so, and can be asked for again', async () => {
    refuse('get', '/runs', 500, 'internal', 'The fault is logged.');
    open('/runs');
    expect(await screen.findByRole('alert')).toHaveTextContent(
      /The runs could not be read.*The fault is logged. internal/,
    );
    answer('get', '/runs', { items: [FINISHED], next_cursor: null });
    await userEvent.click(screen.getByRole('button', { name: 'Try again' }));
    expect(await screen.findByRole('link', { name: FINISHED.name })).toBeInTheDocument();
    expect(document.querySelector('img[src="x"]')).toBeNull();
  });

  it('no runs teach how to get one; a filter that fits none can be loosened', async () => {
    answer('get', '/runs', NOBODY);
    const { router } = open('/runs');
    expect(await screen.findByText('Nothing has run yet')).toBeInTheDocument();
    await router.navigate({ to: '/runs', search: { status: 'failed' } });
    await userEvent.click(await screen.findByRole('button', { name: 'Show all runs' }));
    await waitFor(() => expect(router.state.location.href).toBe('/runs'));
  });

  it('the filter of runs stands in the URL and reaches the api', async () => {
    const asked: string[] = [];
    api.use(
      http.get('http://localhost:3000/api/v1/runs', ({ request }) => {
        asked.push(new URL(request.url).search);
        return HttpResponse.json({ items: [FINISHED], next_cursor: null });
      }),
    );
    const { router } = open('/runs?status=succeeded&mine=true');
    await userEvent.type(await screen.findByLabelText('Filter by name'), 'x');
    await waitFor(() =>
      expect(router.state.location.search).toEqual({ status: 'succeeded', mine: true, q: 'x' }),
    );
    await waitFor(() => expect(asked.at(-1)).toMatch(/q=x.*status=succeeded.*created_by=me/));
  });

  it('a table is sorted, its columns chosen', async () => {
    answer('get', '/runs', {
      items: [
        { ...FINISHED, id: 'b', name: 'b' },
        { ...FINISHED, id: 'a', name: 'a' },
      ],
      next_cursor: null,
    });
    open('/runs');
    const table = await screen.findByRole('table', { name: 'Runs' });
    await userEvent.click(within(table).getByRole('button', { name: 'Run' }));
    const names = within(table)
      .getAllByRole('link')
      .filter((link) => link.className.includes('run-name'));
    expect(names.map((link) => link.textContent)).toEqual(['a', 'b']);
    expect(within(table).getByRole('columnheader', { name: 'Run' })).toHaveAttribute(
      'aria-sort',
      'ascending',
    );
    await userEvent.click(screen.getByRole('button', { name: 'Choose columns' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Hide Agent' }));
    expect(within(table).queryByRole('columnheader', { name: 'Agent' })).toBeNull();
  });

  it('an address without a page says so', async () => {
    open('/nowhere');
    expect(await screen.findByText('There is no page at this address')).toBeInTheDocument();
  });
});

describe('a new run', () => {
  beforeEach(() => {
    signedIn();
    answer('get', '/recipes', { items: [RECIPE] });
    answer('get', '/targets', NOBODY);
    answer('get', '/plans', NOBODY);
    answer('get', '/store-kinds', { items: [] });
    answer('get', '/workloads', NOBODY);
    answer('get', '/agents', NOBODY);
  });

  it('shows a refusal at the field that causes it, and cannot be started', async () => {
    const refusal = {
      code: 'value_out_of_range',
      message: 'At most 100,000 connections.',
      path: 'axes[0].values[1]',
    };
    answer('post', '/plans/preview', { ...PREVIEW, refusals: [refusal] });
    open('/runs/new?recipe=memcached-vs-redis');
    const field = await screen.findByRole('textbox', { name: 'Values of connections' });
    await waitFor(() => expect(field).toHaveAccessibleDescription('At most 100,000 connections.'));
    expect(screen.getByRole('button', { name: 'Run now' })).toBeDisabled();
  });

  it('says at once what cannot be read in an axis, before any answer', async () => {
    answer('post', '/plans/preview', PREVIEW);
    open('/runs/new?recipe=memcached-vs-redis');
    const field = await screen.findByRole('textbox', { name: 'Values of connections' });
    await userEvent.clear(field);
    await userEvent.type(field, '4..x');
    await waitFor(() => expect(field).toHaveAccessibleDescription(/“4..x” is not a number/));
    expect(screen.getByRole('button', { name: 'Run now' })).toBeDisabled();
  });

  it('keeps everything that was typed when the start fails', async () => {
    answer('post', '/plans/preview', PREVIEW);
    refuse('post', '/runs', 422, 'plan_refused', 'One thing is wrong.', [
      { path: 'name', code: 'x', message: 'This name is taken.' },
    ]);
    open('/runs/new?recipe=memcached-vs-redis');
    const name = await screen.findByRole('textbox', { name: 'Name' });
    await userEvent.clear(name);
    await userEvent.type(name, 'mine');
    await waitFor(() => expect(screen.getByTestId('preview-trials')).toHaveTextContent('3'));
    await userEvent.click(screen.getByRole('button', { name: 'Run now' }));
    expect(await screen.findByText('One thing is wrong.')).toBeInTheDocument();
    expect(name).toHaveValue('mine');
    expect(name).toHaveAccessibleDescription('This name is taken.');
  });

  it('and its YAML are one: each follows the other', async () => {
    answer('post', '/plans/preview', PREVIEW);
    open('/runs/new?recipe=memcached-vs-redis');
    const yaml = await screen.findByRole<HTMLTextAreaElement>('textbox', { name: 'The plan as YAML' });
    const trials = screen.getByRole('textbox', { name: 'Trials per point' });
    await userEvent.clear(trials);
    await userEvent.type(trials, '7');
    expect(parse(yaml.value)).toMatchObject({ trials_per_point: 7 });
    await userEvent.clear(yaml);
    await userEvent.click(yaml);
    await userEvent.paste(stringify({ ...DEFINITION, trials_per_point: 9 }));
    expect(trials).toHaveValue('9');
  });

  it('of a recipe that does not exist says so', async () => {
    open('/runs/new?recipe=nope');
    expect(await screen.findByRole('alert')).toHaveTextContent(/no recipe “nope”/);
  });
});

describe('a run', () => {
  beforeEach(signedIn);

  it('shows its numbers, its closed loop, and why it failed', async () => {
    const failed = run({
      status: 'failed',
      finished_at: '2026-11-21T12:05:00Z',
      error: { code: 'target_lost', message: 'The store died.', detail: null },
    });
    answer('get', '/runs/run-1', failed);
    answer('get', '/runs/run-1/points', {
      items: [point({ target: 'Redis', connections: 4 }, operation(12_345))],
    });
    open('/runs/run-1');
    expect(await screen.findByText('12,345')).toBeInTheDocument();
    expect(screen.getByText('closed loop')).toBeInTheDocument();
    expect(screen.getByRole('alert')).toHaveTextContent(/The store died.*target_lost/);
    expect(screen.getByText(/Redis reaches 12.3k ops\/s at 4 connections/)).toBeInTheDocument();
  });

  it('says what its kills took in the api’s own words, here and on the home page', async () => {
    const sentence = 'The kill cost RDB 59.5 % of its keys; 1 other lost nothing.';
    const killed = run({ status: 'succeeded', finished_at: '2026-11-21T12:05:00Z' });
    answer('get', '/runs', { items: [killed], next_cursor: null });
    answer('get', '/runs/run-1', killed);
    answer('get', '/runs/run-1/points', { items: [point({ target: 'RDB' }, operation(12_345))] });
    answer('get', '/runs/run-1/verdict', { sentence });
    const { router } = open('/');
    expect(await screen.findByRole('cell', { name: sentence })).toBeInTheDocument();
    await router.navigate({ to: '/runs/$runId', params: { runId: 'run-1' } });
    expect(await screen.findByText(sentence, { selector: '.run-verdict' })).toBeInTheDocument();
  });

  it('has columns of failures where an operation failed, and none where all were answered', async () => {
    const broken = { ...operation(10), count: 90, errors: 10, errors_by_class: { refused: 3, timed_out: 7 } };
    answer('get', '/runs/run-1', run({ status: 'succeeded', finished_at: '2026-11-21T12:05:00Z' }));
    const whole = point({ target: 'Redis', connections: 4 }, operation(12_345));
    answer('get', '/runs/run-1/points', {
      items: [whole, point({ target: 'memcached', connections: 4 }, broken)],
    });
    const { queries } = open('/runs/run-1');
    await userEvent.hover(await screen.findByText('10 %', { selector: 'td *' }));
    expect(await screen.findByRole('tooltip')).toHaveTextContent('10 failed (10 %): timed out 7, refused 3');
    expect(screen.getByRole('cell', { name: '0 %' })).toBeInTheDocument();
    answer('get', '/runs/run-1/points', { items: [whole] });
    await queries.invalidateQueries();
    await waitFor(() => expect(screen.queryByRole('columnheader', { name: 'Failed' })).toBeNull());
    expect(screen.getByText('12,345')).toBeInTheDocument();
  });

  it('keeps its numbers on the page when reading them again fails', async () => {
    answer('get', '/runs/run-1', run({ status: 'succeeded', finished_at: '2026-11-21T12:05:00Z' }));
    answer('get', '/runs/run-1/points', {
      items: [point({ target: 'Redis', connections: 4 }, operation(12_345))],
    });
    const { queries } = open('/runs/run-1');
    await screen.findByText('12,345');
    refuse('get', '/runs/run-1/points', 503, 'unavailable', 'The database is away.');
    await queries.invalidateQueries();
    await waitFor(() => expect(queries.getQueryState(['run', 'run-1', 'points'])?.status).toBe('error'));
    expect(screen.getByText('12,345')).toBeInTheDocument();
  });

  it('without a point yet says what is coming', async () => {
    answer('get', '/runs/run-1', run({ status: 'failed', finished_at: '2026-11-21T12:05:00Z' }));
    answer('get', '/runs/run-1/points', { items: [point({ target: 'Redis', connections: 4 }, null, null)] });
    open('/runs/run-1');
    expect(await screen.findByText('No point was measured')).toBeInTheDocument();
  });

  it('that is not there says so', async () => {
    refuse('get', '/runs/run-9', 404, 'not_found', 'There is no such run.');
    open('/runs/run-9');
    expect(await screen.findByRole('alert')).toHaveTextContent(
      /There is no such run. It may belong to another team.* not_found/,
    );
  });

  it('writes every choice into the URL, and reads it back', async () => {
    answer('get', '/runs/run-1', run({ status: 'succeeded', finished_at: '2026-11-21T12:05:00Z' }));
    answer('get', '/runs/run-1/points', {
      items: [point({ target: 'Redis', connections: 4 }, operation(12_345))],
    });
    const { router } = open('/runs/run-1?logt=false&pct=%5B%22p50%22%5D');
    await userEvent.click(await screen.findByRole('button', { name: 'log y: Throughput' }));
    await userEvent.click(screen.getByRole('radio', { name: 'Service time' }));
    expect(router.state.location.search).toEqual({ logt: false, pct: ['p50'], logy: true, time: 'service' });
    expect(screen.getByRole('button', { name: 'log y: Service time p50' })).toHaveAttribute(
      'aria-pressed',
      'false',
    );
  });
});
