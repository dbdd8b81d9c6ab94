// From a click to a curve: the whole trip of the first run, as a person takes it.
import assert from 'node:assert/strict';
import { curvesIn } from './browser.mjs';
import { fact, quantile, skip, step, until } from './report.mjs';

const RUN_URL = /\/runs\/[0-9a-f-]{36}/;
const LIVE = '[aria-label="The trial under way"]';
const LEAST_LIVE_SAMPLES = 8;
// Half as much again as is promised: here store, engine and browser share the cores. The figure itself is reported.
const MOST_LAG_MS = 1500;

export async function signIn(page, { url, email, password }) {
  await step('sign in, and be led to where one wanted to go', async () => {
    await page.goto(`${url}/runs`);
    await page.getByLabel('E-mail').fill(email);
    await page.locator('input[type="password"]').fill(password);
    await page.getByRole('button', { name: 'Sign in' }).click();
    await page.waitForURL(`${url}/runs`);
    await page.getByRole('heading', { name: 'Runs', level: 1 }).waitFor();
  });
}

export async function seeEmptyHome(page, { url }, api) {
  const runs = await api.get('/runs?limit=1');
  if (runs.items.length > 0)
    return skip('an empty installation offers the first measurement', 'this one has runs');
  await step('an empty installation offers the first measurement', async () => {
    await page.goto(url);
    await page.getByRole('button', { name: 'Measure this machine' }).waitFor();
  });
}

/** Chooses both stores by hand and starts; returns the run's id. */
export async function startByHand(page, { url }, name) {
  await step('choose memcached, Redis and a workload', async () => {
    await page.goto(`${url}/runs/new`);
    await page.getByRole('textbox', { name: 'Name' }).fill(name);
    await addTarget(page, 'memcached', /^memcached/);
    await addTarget(page, 'redis', /^Redis: .*(none|no persistence|nothing|memory)/i);
    await page.getByRole('textbox', { name: 'Keys', exact: true }).fill('5000');
    const axis = page.getByRole('textbox', { name: 'Values of connections' });
    await axis.fill('4..x');
    await page.getByText('is not a number or a range').first().waitFor();
    assert.ok(
      await page.getByRole('button', { name: 'Run now' }).isDisabled(),
      'a plan that cannot be read can be started',
    );
    await axis.fill('1 4..16 x4');
    await page.getByRole('textbox', { name: 'Trials per point' }).fill('2');
    await page.getByRole('textbox', { name: 'Warm-up (s)' }).fill('0.5');
    await page.getByRole('textbox', { name: 'Measure (s)' }).fill('3');
  });
  await step('the preview says what it means', async () => {
    await page.getByTestId('preview-trials').filter({ hasText: /^12$/ }).waitFor();
    await page.getByRole('region', { name: 'The grid of points' }).getByRole('row').nth(6).waitFor();
  });
  return step('Run now leads to the run', async () => {
    const start = page.getByRole('button', { name: 'Run now' });
    await until('Run now is enabled', () => start.isEnabled(), 10_000);
    await start.click();
    await page.waitForURL(RUN_URL);
    return page.url().match(/[0-9a-f-]{36}/)[0];
  });
}

async function addTarget(page, typed, option) {
  const field = page
    .getByRole('combobox', { name: 'Add a target' })
    .or(page.getByRole('textbox', { name: 'Add a target' }));
  await field.first().click();
  await field.first().fill(typed);
  await page.getByRole('option', { name: option }).first().click();
}

/** Notes when each second is on the screen: after the frame in which its numbers were painted. */
async function watchSamples(page) {
  await page.evaluate((selector) => {
    window.seenSamples = [];
    const known = new Set();
    const look = () => {
      const live = document.querySelector(selector);
      const at = live?.getAttribute('data-sample-at');
      if (!at || known.has(at)) return;
      known.add(at);
      requestAnimationFrame(() =>
        setTimeout(() => {
          const { lastSeq, seconds } = live.dataset;
          window.seenSamples.push({
            at: Date.parse(at),
            seenAt: Date.now(),
            lastSeq: Number(lastSeq),
            seconds: Number(seconds),
          });
        }, 0),
      );
    };
    new MutationObserver(look).observe(document.body, { subtree: true, childList: true, attributes: true });
    look();
  }, LIVE);
}

export async function watchLive(page, proxy) {
  await step('live seconds arrive', async () => {
    await watchSamples(page);
    // The first samples come before the observer: only what appeared afterwards has a lag.
    await until('live seconds', async () => (await seen(page)).length >= LEAST_LIVE_SAMPLES, 60_000);
    const lags = (await seen(page)).slice(1).map(({ at, seenAt }) => seenAt - at);
    fact('sample to pixel, median (ms)', quantile(lags, 0.5));
    fact('sample to pixel, highest (ms)', Math.max(...lags));
    assert.ok(quantile(lags, 0.5) <= MOST_LAG_MS, 'the median second came late to the screen');
    // A trial may have ended meanwhile, and the next one's first second be on its way.
    const lines = page.locator(`${LIVE} .recharts-line-curve`);
    await until('lines are drawn', async () => (await lines.count()) >= 2, 10_000);
  });
  await step('a connection that was away leaves no gap', async () => {
    proxy.cut();
    await page.getByText('The live stream is away').waitFor();
    await page.waitForTimeout(1500);
    proxy.mend();
    const back = Date.now();
    await until(
      'a second after the reconnect',
      async () => (await seen(page)).some(({ seenAt }) => seenAt > back + 1500),
      30_000,
    );
    const after = (await seen(page)).filter(({ seenAt }) => seenAt > back);
    fact('reconnect to next second (ms)', after[0].seenAt - back);
    const gaps = after.filter(({ seconds, lastSeq }) => seconds !== lastSeq + 1);
    assert.deepEqual(gaps, [], 'seconds are missing');
  });
}

function seen(page) {
  return page.evaluate(() => window.seenSamples);
}

/** As the pages write a quantile: one that cannot be stated is void, one that unanswered requests touch is a bound. */
function writtenMs(times, name) {
  if (times.void[name]) return 'void';
  const inMs = (ns) => (ns / 1e6).toLocaleString('en-US', { maximumSignificantDigits: 3 });
  const bound = times.bounds[name];
  if (!bound) return inMs(times[name]);
  return bound.to_ns === null ? `≥ ${inMs(times[name])}` : `${inMs(times[name])} to ${inMs(bound.to_ns)}`;
}

export async function waitForCurve(page, api, runId, withinMs) {
  await step('the run succeeds and both targets have a curve', async () => {
    const ended = page.locator('header').getByText(/^(succeeded|failed|cancelled|crashed)$/);
    await ended.waitFor({ timeout: withinMs });
    assert.equal(await ended.innerText(), 'succeeded', (await api.get(`/runs/${runId}`)).error?.message);
    const chart = page.locator('[role="group"][aria-label^="Throughput over connections"]');
    await until('two lines', async () => (await curvesIn(chart)).length === 2, 10_000);
    for (const path of await curvesIn(chart))
      assert.ok(path.match(/[ML]/g).length > 1, 'a curve has one point only');
    const run = await api.get(`/runs/${runId}`);
    assert.equal(run.status_counts.succeeded, run.trial_count);
  });
  await step("the table's numbers are the api's", async () => {
    const { items } = await api.get(`/runs/${runId}/points`);
    for (const point of items) {
      const row = page.locator(`tr[data-row-id="${point.id}"]`);
      const cells = await row.locator('td').allInnerTexts();
      assert.equal(cells[0], point.parameters.target);
      assert.equal(cells[1], String(point.parameters.connections));
      assert.equal(cells[2], Math.round(point.total.throughput_per_s).toLocaleString('en-US'));
      assert.equal(cells[6], writtenMs(point.total.response_time_ns, 'p99'));
    }
  });
}
