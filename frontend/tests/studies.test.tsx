import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import type { Recipe, RecipePublished, RunPublished } from '@/api/recipes';
import { operation, point, run } from './fixtures';
import { answer, api, NOBODY, open, signedIn } from './page';

beforeAll(() => api.listen({ onUnhandledRequest: 'error' }));
afterEach(() => api.resetHandlers());
afterAll(() => api.close());

const { definition } = run();
const SOURCE = { title: 'A study of 2011', author: 'Somebody', year: 2011, note: 'A laptop.' };
const RECIPE: Recipe = {
  slug: 'four-stores',
  title: 'Four stores',
  question: 'What does durability cost?',
  summary: 'Sets and gets.',
  study: true,
  place: 1,
  sizes: [
    { size: 'full', estimated_s: 9000, trial_count: 400, definition: definition as never },
    {
      size: 'quick',
      estimated_s: 200,
      trial_count: 24,
      definition: {
        ...definition,
        targets: [{ kind: 'memlink', profile: 'default', name: 'Memlink' }],
      } as never,
    },
  ],
  method: ['The keys are loaded first.'],
  // biome-ignore lint/suspicious/noThenProperty: the api's own word, never awaited
  differences: [{ what: 'Hardware', then: 'a laptop', now: 'this machine' }],
  source: SOURCE,
  published: { count: 2, mapped: 2 },
};
const FIGURES: RecipePublished = {
  source: SOURCE,
  series: [
    {
      scenario: 'set',
      system: 'memcached',
      client: 'xmemcached',
      axis: 'connections',
      metric: 'throughput',
      unit: 'ops/s',
      reason: null,
      points: [
        { x: 50, value: 30_000, note: null },
        { x: 200, value: 40_000, note: null },
      ],
    },
  ],
};
const PREVIEW = {
  points: [],
  point_count: 8,
  trial_count: 24,
  estimated_s: 200,
  finish_at: '2026-11-21T12:05:00Z',
  refusals: [],
  warnings: [],
  agents: [{ id: 'a', name: 'vm', can_take: false, reason: 'It has no memlink.' }],
};
const AGENT = {
  id: 'a',
  name: 'vm',
  state: 'online',
  stores: [{ kind: 'memlink', available: false, remedy: 'loadstone-agent stores install memlink' }],
};

describe('recipes', () => {
  beforeEach(signedIn);

  it('are found by what they ask', async () => {
    answer('get', '/recipes', {
      items: [RECIPE, { ...RECIPE, slug: 'x', title: 'Another', question: 'Why?' }],
    });
    const { router } = open('/recipes');
    await userEvent.type(await screen.findByRole('textbox', { name: 'Filter recipes' }), 'durability');
    await waitFor(() => expect(screen.queryByText('Another')).toBeNull());
    expect(router.state.location.search).toEqual({ q: 'durability' });
    expect(screen.getByText('quick: 24 trials, about 3 min 20 s')).toBeInTheDocument();
    expect(screen.getByRole('link', { name: 'Four stores' })).toHaveAttribute('href', '/recipes/four-stores');
  });

  describe('one of them', () => {
    beforeEach(() => {
      answer('get', '/recipes/four-stores', RECIPE);
      answer('get', '/recipes/four-stores/published', FIGURES);
      answer('post', '/plans/preview', PREVIEW);
      answer('get', '/agents', { items: [AGENT], next_cursor: null });
      answer('get', '/runs', NOBODY);
    });

    it('tells what is asked, what is missing and what gets it, and draws what was published', async () => {
      open('/recipes/four-stores');
      expect(await screen.findByText('What does durability cost?')).toBeInTheDocument();
      expect(await screen.findByText(/Not by vm: It has no memlink/)).toBeInTheDocument();
      expect(await screen.findByText('loadstone-agent stores install memlink')).toBeInTheDocument();
      expect(
        await screen.findByText(
          /From memcached, xmemcached 30k ops\/s at connections 50 to memcached, xmemcached 40k ops\/s/,
        ),
      ).toBeInTheDocument();
      await userEvent.click(screen.getByRole('button', { name: 'Source' }));
      const dialog = await screen.findByRole('dialog');
      expect(within(dialog).getByText('“A study of 2011”')).toBeInTheDocument();
      expect(within(dialog).getAllByRole('row')).toHaveLength(3);
    });

    it('starts in the size that is chosen', async () => {
      const sent: unknown[] = [];
      api.use(
        http.post('http://localhost:3000/api/v1/runs', async ({ request }) => {
          sent.push(await request.json());
          return HttpResponse.json(run(), { status: 201 });
        }),
      );
      answer('get', '/runs/run-1', run());
      answer('get', '/runs/run-1/points', { items: [] });
      const { router } = open('/recipes/four-stores');
      await userEvent.click(await screen.findByRole('radio', { name: 'Full, as published' }));
      expect(router.state.location.search).toEqual({ size: 'full' });
      await userEvent.click(screen.getByRole('button', { name: 'Run now' }));
      await waitFor(() => expect(router.state.location.pathname).toBe('/runs/run-1'));
      expect(sent).toEqual([{ recipe: { slug: 'four-stores', size: 'full' }, priority: 0 }]);
    });
  });
});

describe('the result of a study', () => {
  beforeEach(signedIn);

  it('stands beside the published figures as ratios, and as values when asked', async () => {
    const series = (target: string, value: number) => ({
      label: `${target} 1.0`,
      system: target,
      client: null,
      scenario: 'set',
      match: { target },
      axis: 'connections',
      metric: 'throughput_per_s',
      unit: 'ops/s',
      derived: null,
      relative_to: null,
      points: [{ x: 4, value, note: null }],
    });
    const published: RunPublished = {
      series: [series('memcached', 40_000), series('Redis', 20_000)],
      normalise_to: { target: 'memcached' },
      source: SOURCE,
    };
    answer('get', '/runs/run-1', run({ status: 'succeeded', finished_at: '2026-11-21T12:05:00Z' }));
    answer('get', '/runs/run-1/points', {
      items: [
        point({ target: 'memcached', connections: 4 }, operation(100_000)),
        point({ target: 'Redis', connections: 4 }, operation(80_000)),
      ],
    });
    answer('get', '/runs/run-1/published', published);
    const { router } = open('/runs/run-1');
    expect(
      await screen.findByText(/memcached 1×, Redis 0.8×. Published: memcached 1.0 1×, Redis 1.0 0.5×/),
    ).toBeInTheDocument();
    await userEvent.click(screen.getByRole('combobox', { name: 'Values' }));
    await userEvent.click(await screen.findByRole('option', { name: 'absolute values' }));
    expect(await screen.findByText(/memcached reaches 100k ops\/s at 4 connections/)).toBeInTheDocument();
    expect(router.state.location.search).toEqual({ norm: 'none' });
    await userEvent.click(screen.getByRole('switch', { name: /Published figures/ }));
    await waitFor(() => expect(router.state.location.search).toEqual({ norm: 'none', pub: false }));
  });
});
