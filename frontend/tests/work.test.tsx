import { screen, waitFor, within } from '@testing-library/react';
import userEvent from '@testing-library/user-event';
import { HttpResponse, http } from 'msw';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { run } from './fixtures';
import { answer, api, NOBODY, open, refuse, signedIn } from './page';

const PLAN = {
  id: 'plan-1',
  name: 'nightly plan',
  version: 3,
  definition: {
    name: 'nightly plan',
    targets: [{ kind: 'redis', profile: 'none', options: {} }],
    workload: {
      dataset: {
        key_count: 10,
        key_prefix: 'k',
        key_size_bytes: 16,
        value_size: { kind: 'fixed', bytes: 9 },
      },
      operations: [{ kind: 'get', weight: 1, keys_per_request: 1 }],
      access: { kind: 'uniform' },
    },
    load: { kind: 'closed', connections: 4, pipeline: 1 },
  },
  created_by: { id: 'user-1', name: 'Ada' },
  created_at: '2026-11-21T07:00:00Z',
  version_created_by: { id: 'user-1', name: 'Ada' },
  version_created_at: '2026-11-21T07:00:00Z',
  archived_at: null,
};

const SCHEDULE = {
  id: 'schedule-1',
  name: 'Every night',
  plan_id: 'plan-1',
  plan_name: 'nightly plan',
  plan_version: null,
  cron: '0 2 * * *',
  description: 'At 02:00 every day',
  time_zone: 'Europe/Berlin',
  overlap_policy: 'skip',
  starts_at: null,
  ends_at: null,
  state: 'active',
  error: null,
  next_fire_at: '2026-11-22T01:00:00Z',
  last_firing: null,
  agent_selector: {},
  priority: 0,
  version: 1,
  created_by: { id: 'user-1', name: 'Ada' },
  created_at: '2026-11-21T07:00:00Z',
  updated_at: '2026-11-21T07:00:00Z',
};

/** Collects the bodies that the page sends there. */
function listen(method: 'post' | 'put' | 'patch', path: string, reply: object): unknown[] {
  const bodies: unknown[] = [];
  api.use(
    http[method](`http://localhost:3000/api/v1${path}`, async ({ request }) => {
      bodies.push(await request.json().catch(() => null));
      return HttpResponse.json(reply);
    }),
  );
  return bodies;
}

beforeAll(() => api.listen({ onUnhandledRequest: 'error' }));
afterEach(() => api.resetHandlers());
afterAll(() => api.close());

beforeEach(() => {
  signedIn();
  answer('get', '/agents', NOBODY);
  answer('get', '/plans', { items: [PLAN], next_cursor: null });
});

describe('schedules', () => {
  it('teach what they are while there are none', async () => {
    answer('get', '/schedules', NOBODY);
    open('/schedules');
    expect(await screen.findByText('Nothing starts by itself yet')).toBeInTheDocument();
  });

  it('show the next firings in words and in the zone before they are saved', async () => {
    answer('get', '/schedules', NOBODY);
    answer('post', '/schedules/preview', {
      cron: '0 2 * * *',
      description: '',
      firings: [{ at: '2026-11-22T01:00:00Z', local: '2026-11-22T02:00:00+01:00' }],
    });
    const sent = listen('post', '/schedules', SCHEDULE);
    open('/schedules?edit=new&plan=plan-1');
    expect(await screen.findByText('At 02:00')).toBeInTheDocument();
    expect(await screen.findByText('Sun, 22 Nov 2026, 02:00')).toBeInTheDocument();
    await userEvent.click(screen.getByRole('button', { name: 'Save the schedule' }));
    await waitFor(() => expect(sent).toHaveLength(1));
    expect(sent[0]).toMatchObject({ plan_id: 'plan-1', name: 'nightly plan', cron: '0 2 * * *' });
  });

  it('say at the field what is wrong with it, and cannot be saved so', async () => {
    answer('get', '/schedules', NOBODY);
    answer(
      'post',
      '/schedules/preview',
      { title: 'No', status: 422, code: 'cron_invalid', detail: 'Give five fields.', path: 'cron' },
      422,
    );
    open('/schedules?edit=new');
    expect(await screen.findByText('Give five fields.')).toBeInTheDocument();
    expect(screen.getByRole('textbox', { name: /Cron expression/ })).toBeInvalid();
    expect(screen.getByRole('button', { name: 'Save the schedule' })).toBeDisabled();
  });

  it('that are broken say why', async () => {
    const error = { code: 'plan_archived', message: 'Restore the plan.' };
    answer('get', '/schedules', { items: [{ ...SCHEDULE, state: 'broken', error }], next_cursor: null });
    open('/schedules');
    await userEvent.hover(await screen.findByText('broken'));
    expect(await screen.findByText('Restore the plan.')).toBeInTheDocument();
  });

  it('keep sort and columns in the URL', async () => {
    answer('get', '/schedules', { items: [SCHEDULE], next_cursor: null });
    const { router } = open('/schedules');
    await userEvent.click(await screen.findByRole('button', { name: 'Name' }));
    await waitFor(() =>
      expect(router.state.location.search).toEqual({ tables: { schedules: { sort: 'name' } } }),
    );
    expect(screen.getByRole('columnheader', { name: 'Name' })).toHaveAttribute('aria-sort', 'ascending');
    await userEvent.click(screen.getByRole('button', { name: 'Choose columns' }));
    await userEvent.click(await screen.findByRole('menuitem', { name: 'Hide When' }));
    await waitFor(() => expect(screen.queryByRole('columnheader', { name: 'When' })).toBeNull());
  });
});

describe('the queue', () => {
  const queued = (id: string, place: number, reason: string | null) => ({
    place,
    run: { ...run({ id, name: `run ${id}`, status: 'queued' }), paused_at: null, schedule_id: null },
    agent: null,
    starts_at: reason ? null : '2026-11-21T12:00:00Z',
    ends_at: reason ? null : '2026-11-21T12:01:00Z',
    basis: 'estimate',
    reason: reason ? { code: 'no_agent_can_take', message: reason } : null,
  });
  const queue = (...runs: object[]) => ({
    now: '2026-11-21T12:00:00Z',
    agents: [
      {
        id: 'agent-1',
        name: 'bench-1',
        state: 'online',
        is_draining: false,
        labels: {},
        lease_state: null,
        recent: [],
        current: null,
        planned: [],
      },
    ],
    runs,
    waiting_run_count: runs.length,
    waiting_trial_count: 8,
  });

  it('teaches what it is while nothing waits', async () => {
    answer('get', '/queue', { ...queue(), waiting_trial_count: 0 });
    open('/queue');
    expect(await screen.findByText('Nothing waits')).toBeInTheDocument();
  });

  it('shows place and reason, and what cannot run says so', async () => {
    answer('get', '/queue', queue(queued('a', 1, null), queued('b', 2, 'No agent can take this run.')));
    open('/queue');
    const table = await screen.findByRole('table', { name: 'Waiting runs' });
    const [, first, second] = within(table).getAllByRole('row');
    expect(first).toHaveTextContent(/1run a/);
    expect(second).toHaveTextContent(/No agent can take this run/);
  });

  it('changes a priority by keyboard', async () => {
    answer('get', '/queue', queue(queued('a', 1, null)));
    const sent = listen('patch', '/runs/a', {});
    open('/queue');
    const field = await screen.findByRole('textbox', { name: 'Priority of run a' });
    await userEvent.clear(field);
    await userEvent.type(field, '7{Enter}');
    await waitFor(() => expect(sent).toEqual([{ priority: 7 }]));
  });

  it('drains an agent', async () => {
    answer('get', '/queue', queue());
    const sent = listen('patch', '/agents/agent-1', {});
    open('/queue');
    await userEvent.click(await screen.findByRole('switch', { name: /Drain bench-1/ }));
    await waitFor(() => expect(sent).toEqual([{ is_draining: true }]));
  });
});

describe('a saved plan', () => {
  beforeEach(() => {
    sessionStorage.clear();
    for (const path of ['/targets', '/workloads']) answer('get', path, NOBODY);
    for (const path of ['/recipes', '/store-kinds']) answer('get', path, { items: [] });
    answer('get', '/plans/plan-1', PLAN);
    refuse('post', '/plans/preview', 503, 'unavailable', 'Away.');
  });

  it('that somebody else has saved meanwhile keeps what was typed and can be saved as a new one', async () => {
    refuse('put', '/plans/plan-1', 409, 'plan_changed', 'It is at version 4 now.');
    const sent = listen('post', '/plans', { ...PLAN, id: 'plan-2', version: 1 });
    const { router } = open('/runs/new?plan=plan-1');
    const name = await screen.findByRole('textbox', { name: 'Name' });
    await userEvent.clear(name);
    await userEvent.type(name, 'mine');
    await userEvent.click(screen.getByRole('button', { name: 'Save plan' }));
    expect(await screen.findByText(/It is at version 4 now/)).toBeInTheDocument();
    expect(name).toHaveValue('mine');
    answer('get', '/plans/plan-2', { ...PLAN, id: 'plan-2', version: 1 });
    await userEvent.click(screen.getByRole('button', { name: 'Save mine as a new plan' }));
    await waitFor(() => expect(sent).toMatchObject([{ definition: { name: 'mine' } }]));
    await waitFor(() => expect(router.state.location.search).toMatchObject({ plan: 'plan-2' }));
  });

  it('is one text with the form, both ways', async () => {
    open('/runs/new?plan=plan-1');
    const text = await screen.findByRole('textbox', { name: 'The plan as YAML' });
    expect(text).toHaveTextContent('name: nightly plan');
    await userEvent.click(text);
    await userEvent.clear(text);
    await userEvent.paste('a: [1');
    expect(await screen.findByRole('button', { name: 'Line 1' })).toBeInTheDocument();
    await userEvent.clear(text);
    await userEvent.paste(JSON.stringify({ ...PLAN.definition, name: 'from the text' }));
    expect(screen.getByRole('textbox', { name: 'Name' })).toHaveValue('from the text');
  });
});

describe('plans', () => {
  it('are listed, and run with one press', async () => {
    const sent = listen('post', '/runs', { id: 'run-1' });
    open('/plans');
    await userEvent.click(await screen.findByRole('button', { name: 'Run nightly plan now' }));
    await waitFor(() => expect(sent).toEqual([{ plan_id: 'plan-1', priority: 0 }]));
  });
});
