import { cleanup, screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { answer, api, NOBODY, open, refuse, signedIn } from './page';

const HOSTILE = '<img src=x onerror="document.title=1">';
const SERIES = {
  id: 's1',
  title: HOSTILE,
  labels: { target_kind: 'redis', profile: HOSTILE },
  identity: {},
  store_versions: ['7.0'],
  value_count: 3,
  first_at: '2026-11-01T00:00:00Z',
  last_at: '2026-11-03T00:00:00Z',
  last_change: null,
};
const METRIC = { name: 'throughput_per_s', title: 'Throughput', unit: 'ops/s', better: 'higher' };

function value(day: number, number: number, excluded: object | null = null) {
  return {
    point_id: `p${day}`,
    run_id: `r${day}`,
    run_name: `run ${day}`,
    at: `2026-11-0${day}T00:00:00Z`,
    value: number,
    low: number * 0.9,
    high: number * 1.1,
    trials_counted: 3,
    store_version: '7.0',
    engine_version: '0.1',
    environment_id: null,
    excluded,
  };
}

function values(...list: object[]) {
  const line = { series: SERIES, values: list, value_count: list.length, downsampled: false };
  return { metric: METRIC, operation: 'all', items: [{ ...line, change_points: [], annotations: [] }] };
}

function board(changes: object = {}) {
  return {
    id: 'd1',
    name: 'nightly',
    version: 1,
    is_pinned: false,
    refresh_s: null,
    panel_count: 2,
    created_by: null,
    created_at: '2026-11-01T00:00:00Z',
    changed_by: { id: 'u2', name: 'Grace' },
    changed_at: '2026-11-01T00:00:00Z',
    panels: [
      {
        id: 'a',
        title: 'first',
        view: { kind: 'text', markdown: `# note\n\n${HOSTILE}` },
        width: 1,
        height: 2,
      },
      { id: 'b', title: 'second', view: { kind: 'text', markdown: 'two' }, width: 1, height: 2 },
    ],
    ...changes,
  };
}

/** Keeps what was sent to this address. */
function recorded(method: 'post' | 'put' | 'patch', path: string, reply: object, status = 200) {
  const bodies: Record<string, unknown>[] = [];
  api.use(
    http[method](`http://localhost:3000/api/v1${path}`, async ({ request }) => {
      bodies.push((await request.json()) as Record<string, unknown>);
      return HttpResponse.json(reply, { status });
    }),
  );
  return bodies;
}

beforeAll(() => api.listen({ onUnhandledRequest: 'error' }));
beforeEach(signedIn);
afterEach(() => {
  cleanup();
  sessionStorage.clear();
  api.resetHandlers();
});
afterAll(() => api.close());

describe('trends', () => {
  beforeEach(() => {
    answer('get', '/series', { items: [SERIES], next_cursor: null });
    answer('get', '/series/facets', {
      facets: [
        {
          label: 'profile',
          values: [
            { value: 'none', count: 3 },
            { value: 'aof', count: 1 },
          ],
        },
      ],
    });
    answer('get', '/series/values', values(value(1, 1000), value(2, 1100)));
  });

  it('draw every series, and a hostile name stays text', async () => {
    open('/trends');
    const panel = await screen.findByRole('article', { name: HOSTILE });
    expect(await within(panel).findByRole('img', { name: /Throughput of/ })).toBeInTheDocument();
    expect(within(panel).getByText(/2 points, last 1.1k ops\/s/)).toBeInTheDocument();
    expect(panel.querySelector('img')).toBeNull();
  });

  it('keep every choice in the URL', async () => {
    const { router } = open('/trends?metric=response_time_p99_ns&days=30');
    await userEvent.click(await screen.findByRole('checkbox', { name: 'none' }));
    await userEvent.click(screen.getByRole('switch', { name: 'Split by store version' }));
    await waitFor(() =>
      expect(router.state.location.search).toEqual({
        metric: 'response_time_p99_ns',
        days: 30,
        label: ['profile:none'],
        split: true,
      }),
    );
  });

  it('teach when there are none', async () => {
    answer('get', '/series', NOBODY);
    open('/trends');
    expect(await screen.findByText('No trends yet')).toBeInTheDocument();
  });

  it('say why they could not be read', async () => {
    refuse('get', '/series', 503, 'unavailable', 'The database is away.');
    open('/trends');
    expect(await screen.findByText(/The database is away/)).toBeInTheDocument();
  });
});

describe('a trend', () => {
  beforeEach(() => {
    answer('get', '/series/s1', SERIES);
    answer('get', '/series/values', values(value(1, 1000), value(2, 1100)));
    answer('get', '/series/s1/neighbours', {
      before: { point_id: 'p1', run_id: 'r1', run_name: 'run 1', at: '2026-11-01T00:00:00Z' },
      after: { point_id: 'p2', run_id: 'r2', run_name: 'run 2', at: '2026-11-02T00:00:00Z' },
      differences: [{ kind: 'environment', path: 'kernel', before: '6.1', after: HOSTILE }],
    });
  });

  it('shows the run behind a point and what changed since the one before', async () => {
    open('/trends/s1');
    await userEvent.click(await screen.findByRole('button', { name: 'Look at run 2' }));
    const drawer = await screen.findByRole('dialog');
    expect(within(drawer).getByRole('link', { name: 'Open run 2' })).toHaveAttribute('href', '/runs/r2');
    expect(await within(drawer).findByText('kernel')).toBeInTheDocument();
    expect(within(drawer).getByText(HOSTILE)).toBeInTheDocument();
  });

  it('excludes a point with a reason', async () => {
    const sent = recorded('post', '/series/s1/exclusions', { id: 'x' }, 201);
    open('/trends/s1?point=p2');
    await userEvent.type(await screen.findByLabelText(/Exclude it, because/), 'wrong kernel');
    await userEvent.click(screen.getByRole('button', { name: 'Exclude' }));
    await waitFor(() => expect(sent).toEqual([{ point_id: 'p2', reason: 'wrong kernel' }]));
  });

  it('offers to count an excluded point again', async () => {
    const excluded = {
      id: 'x',
      point_id: 'p2',
      reason: 'wrong kernel',
      author: null,
      created_at: '2026-11-02T00:00:00Z',
    };
    answer('get', '/series/values', values(value(1, 1000), value(2, 5, excluded)));
    open('/trends/s1?point=p2');
    expect(await screen.findByRole('button', { name: 'Count it again' })).toBeInTheDocument();
  });
});

describe('a dashboard', () => {
  it('draws Markdown, and what is hostile in it stays text', async () => {
    answer('get', '/dashboards/d1', board());
    open('/dashboards/d1');
    expect(await screen.findByRole('heading', { name: 'note' })).toBeInTheDocument();
    expect(document.querySelector('.markdown img')).toBeNull();
  });

  it('is edited, and saved from the version it was made from', async () => {
    answer('get', '/dashboards/d1', board());
    const sent = recorded('put', '/dashboards/d1', board({ version: 2 }));
    open('/dashboards/d1?edit=true');
    await userEvent.click(await screen.findByRole('button', { name: 'Remove second' }));
    await userEvent.selectOptions(screen.getByLabelText('Width of first'), '3');
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({ version: 1, panels: [{ id: 'a', width: 3 }] });
  });

  it('that someone saved meanwhile keeps both edits', async () => {
    answer('get', '/dashboards/d1', board());
    open('/dashboards/d1?edit=true');
    const name = await screen.findByLabelText(/Name/);
    await userEvent.clear(name);
    await userEvent.type(name, 'mine');
    const theirs = board({ version: 2, panels: board().panels.slice(0, 1), panel_count: 1 });
    answer('get', '/dashboards/d1', theirs);
    const problem = { type: 'x', title: 'Changed', status: 409, code: 'dashboard_changed', detail: 'Look.' };
    answer('put', '/dashboards/d1', problem, 409);
    await userEvent.click(screen.getByRole('button', { name: 'Save' }));
    const dialog = await screen.findByRole('dialog');
    expect(await within(dialog).findByText(/both fit together/)).toBeInTheDocument();
    const sent = recorded('put', '/dashboards/d1', { ...theirs, name: 'mine', version: 3 });
    await userEvent.click(within(dialog).getByRole('button', { name: 'Save both' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({ name: 'mine', version: 2, panels: [{ id: 'a' }] });
  });

  it('keeps a draft over a reload', async () => {
    answer('get', '/dashboards/d1', board());
    open('/dashboards/d1?edit=true');
    await userEvent.type(await screen.findByLabelText(/Name/), '!');
    cleanup();
    open('/dashboards/d1?edit=true');
    expect(await screen.findByLabelText(/Name/)).toHaveValue('nightly!');
  });

  it('teaches when there is none', async () => {
    answer('get', '/dashboards', NOBODY);
    open('/dashboards');
    expect(await screen.findByText('No dashboards yet')).toBeInTheDocument();
  });
});

const ALERT = {
  id: 'al1',
  series: { id: 's1', title: HOSTILE, labels: {} },
  point_id: 'p2',
  run_id: 'r2',
  run_name: 'run 2',
  at: '2026-11-02T00:00:00Z',
  direction: 'worse',
  state: 'suspected',
  next_states: ['confirmed', 'expected', 'false'],
  owner: null,
  snoozed_until: null,
  is_snoozed: false,
  changes: [
    {
      id: 'c1',
      at: '2026-11-02T00:00:00Z',
      point_id: 'p2',
      metric: 'throughput_per_s',
      operation: 'all',
      before: 1000,
      after: 900,
      change: -0.1,
      direction: 'worse',
      p_value: 0.004,
      algorithm_version: 'edivisive-1',
      alert_id: 'al1',
      state: 'suspected',
    },
  ],
  confirmation: null,
  created_at: '2026-11-02T00:00:00Z',
  updated_at: '2026-11-02T00:00:00Z',
  history: [
    { id: 'e1', kind: 'found', text: 'Found.', detail: {}, author: null, created_at: '2026-11-02T00:00:00Z' },
    {
      id: 'e2',
      kind: 'comment',
      text: `[run](javascript:alert(1)) ${HOSTILE}`,
      detail: {},
      author: { id: 'u2', name: 'Grace' },
      created_at: '2026-11-02T00:00:00Z',
    },
  ],
};

describe('alerts', () => {
  beforeEach(() => {
    const user = { id: 'user-1', email: 'ada@example.org', name: 'Ada' };
    answer('get', '/members', {
      items: [{ user, role: 'admin', joined_at: '', is_deactivated: false, last_seen_at: null }],
    });
    answer('get', '/alerts', { items: [ALERT], next_cursor: null });
    answer('get', '/alerts/al1', ALERT);
  });

  it('offer the legal states only, and change the state', async () => {
    const sent = recorded('patch', '/alerts/al1', { ...ALERT, state: 'expected' });
    open('/alerts?alert=al1');
    const states = await screen.findByRole('group', { name: 'State' });
    expect(
      within(states)
        .getAllByRole('button')
        .map((button) => button.textContent),
    ).toEqual(['It is real', 'It was expected', 'False alarm']);
    await userEvent.click(within(states).getByRole('button', { name: 'It was expected' }));
    await waitFor(() => expect(sent).toEqual([{ state: 'expected' }]));
  });

  it('show the history, and no comment runs anything', async () => {
    open('/alerts/al1');
    expect(await screen.findByText('Found.')).toBeInTheDocument();
    expect(document.querySelector('.markdown img')).toBeNull();
    for (const link of document.querySelectorAll('.markdown a')) {
      expect(link.getAttribute('href') ?? '').not.toMatch(/javascript/i);
    }
  });

  it('say when none is open', async () => {
    answer('get', '/alerts', NOBODY);
    open('/alerts');
    expect(await screen.findByText('No open alerts')).toBeInTheDocument();
  });
});

describe('notification channels', () => {
  it('are added, and the key of a webhook is shown once', async () => {
    answer('get', '/notification-channels', { items: [], is_mail_configured: false });
    answer('get', '/notification-deliveries', NOBODY);
    const sent = recorded(
      'post',
      '/notification-channels',
      {
        id: 'ch1',
        name: 'hook',
        kind: 'webhook',
        address: 'https://example.org/…',
        has_secret: true,
        events: [],
        is_enabled: true,
        last_delivery: null,
        created_at: '2026-11-02T00:00:00Z',
        secret: 'whs_once',
      },
      201,
    );
    open('/settings/notifications');
    await userEvent.click(await screen.findByRole('button', { name: 'Add channel' }));
    await userEvent.type(await screen.findByLabelText(/^Name/), 'hook');
    await userEvent.type(screen.getByLabelText(/Address of the incoming webhook/), 'https://example.org/x');
    await userEvent.click(screen.getByRole('button', { name: 'Add' }));
    expect(await screen.findByText('whs_once')).toBeInTheDocument();
    expect(sent[0]).toMatchObject({ name: 'hook', kind: 'slack', address: 'https://example.org/x' });
  });
});
