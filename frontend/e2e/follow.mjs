// A schedule fires, its series grows, and a slowdown becomes an alert.
import assert from 'node:assert/strict';
import { fact, step, until } from './report.mjs';

const BEFORE = 11;
const MOST_AFTER = 8;
const SLOW_MS = 3;
const TARGET = `the shop’s cache ${Date.now()}`;

export async function createSchedule(page, { url }, api, store) {
  const target = await api.post('/targets', {
    name: TARGET,
    kind: 'memcached',
    mode: 'external',
    host: '127.0.0.1',
    port: store.port,
    flush_allowed: false,
  });
  const definition = {
    name: 'the shop’s cache, every minute',
    targets: [{ target_id: target.id }],
    workload: {
      dataset: { key_count: 200, value_size: { kind: 'fixed', bytes: 100 } },
      operations: [{ kind: 'get', weight: 1 }],
    },
    // A closed loop is never late, however busy the machine of the test is.
    load: { kind: 'closed', connections: 2, pipeline: 1 },
    axes: [],
    trials_per_point: 1,
    reset: 'none',
    stop: { seconds: 1 },
  };
  const plan = await api.post('/plans', { definition });
  return step('a schedule is made; the next five firings are shown before it is saved', async () => {
    await page.goto(`${url}/schedules?edit=new&plan=${plan.id}`);
    const form = page.getByRole('form', { name: 'Schedule' });
    await form.getByRole('textbox', { name: 'Name' }).fill('every minute');
    const cron = form.getByRole('textbox', { name: /cron/i }).first();
    await cron.fill('61 * * * *');
    await form
      .getByText(/minute/i)
      .first()
      .waitFor();
    await until(
      'a refusal of the minute 61',
      () => form.getByRole('button', { name: 'Save the schedule' }).isDisabled(),
      5000,
    );
    await cron.fill('* * * * *');
    const save = form.getByRole('button', { name: 'Save the schedule' });
    await until('the schedule can be saved', () => save.isEnabled(), 10_000);
    await save.click();
    await page.getByRole('table', { name: 'Schedules' }).getByText('every minute').first().waitFor();
    const { items } = await api.get('/schedules');
    return items.find(({ name }) => name === 'every minute');
  });
}

export async function waitForFirings(api, schedule, count) {
  await step(`the schedule fires ${count} times, each due time once`, async () => {
    const firings = () => api.get(`/schedules/${schedule.id}/firings`).then(({ items }) => items);
    await until(
      `${count} firings`,
      async () => (await firings()).filter(({ outcome }) => outcome === 'submitted').length >= count,
      150_000,
    );
    const due = (await firings()).map(({ due_at }) => due_at);
    assert.equal(new Set(due).size, due.length, 'a due time fired twice');
    await api.post(`/schedules/${schedule.id}/pause`);
  });
}

export async function seeTrend(page, { url }, api) {
  await step('the trend has grown by the runs of the schedule', async () => {
    await until('two values', async () => (await valuesOf(api)).length >= 2, 60_000);
    await page.goto(`${url}/trends`);
    await page
      .getByRole('link', { name: /^memcached/ })
      .first()
      .waitFor();
  });
}

/** The values of the one series that the schedule's plan makes. */
async function valuesOf(api) {
  const { items } = await api.get(`/series?label=${encodeURIComponent(`target:${TARGET}`)}`);
  if (items.length === 0) return [];
  const found = await api.get(
    `/series/values?series_id=${items[0].id}&metric=response_time_p50_ns&operation=all`,
  );
  return found.items[0].values;
}

export async function makeSlowdown(page, { url }, api, schedule, store) {
  const runOnce = async () => {
    const before = (await valuesOf(api)).length;
    await api.post(`/schedules/${schedule.id}/run-now`);
    await until('its value', async () => (await valuesOf(api)).length > before, 60_000);
  };
  await step(`the series grows to ${BEFORE} values without an alert`, async () => {
    while ((await valuesOf(api)).length < BEFORE) await runOnce();
    assert.deepEqual((await api.get('/alerts')).items, []);
  });
  await step('a slowdown becomes an alert', async () => {
    store.slow(SLOW_MS);
    let alerts = [];
    let runs = 0;
    for (; alerts.length === 0 && runs < MOST_AFTER; runs += 1) {
      await runOnce();
      alerts = (await api.get('/alerts')).items;
    }
    fact('runs from the slowdown to the alert', runs);
    assert.equal(alerts.length, 1, 'there is no alert');
    assert.equal(alerts[0].state, 'suspected');
    await page.goto(`${url}/alerts`);
    await page.getByText('suspected').first().waitFor();
  });
}

/** Ids of one series, one alert and one dashboard to look at. */
export async function whatIsThere(api) {
  const [series] = (await api.get(`/series?label=${encodeURIComponent(`target:${TARGET}`)}`)).items;
  const [alert] = (await api.get('/alerts')).items;
  const board = await api.post('/dashboards', {
    name: 'The shop',
    refresh_s: 60,
    is_pinned: true,
    panels: [
      {
        id: 'cache',
        title: 'Cache, p50',
        view: { kind: 'trend', series_ids: [series.id], metric: 'response_time_p50_ns' },
        width: 2,
      },
      { id: 'notes', title: 'Notes', view: { kind: 'text', markdown: '**Nightly** at 2:30.' } },
    ],
  });
  return { seriesId: series.id, alertId: alert.id, dashboardId: board.id };
}
