// Two targets are measured in turns, compared, and shown to somebody without an account.
import assert from 'node:assert/strict';
import { fact, step } from './report.mjs';

const PLAN = {
  name: 'to be compared',
  targets: [
    { kind: 'memcached', profile: 'default', options: {}, name: 'memcached' },
    { kind: 'redis', profile: 'none', options: {}, name: 'Redis' },
  ],
  workload: {
    dataset: { key_count: 1000, value_size: { kind: 'fixed', bytes: 100 } },
    operations: [{ kind: 'get', weight: 1 }],
  },
  load: { kind: 'closed', connections: 8, pipeline: 1 },
  axes: [],
  trials_per_point: 6,
  order: 'interleaved',
  reset: 'flush',
  warmup: { seconds: 0.3 },
  stop: { seconds: 1 },
};

export async function measureTwoTargets({ page, url, api }) {
  return step('the new editor measures two targets in turns', async () => {
    const run = await api.post('/runs', { plan: PLAN });
    await page.goto(`${url}/runs/${run.id}`);
    const ended = page.locator('header').getByText(/^(succeeded|failed|cancelled|crashed)$/);
    await ended.first().waitFor({ timeout: 120_000 });
    assert.equal(await ended.first().innerText(), 'succeeded');
    return run.id;
  });
}

export async function compareTargets({ page, url, api }, runId) {
  return step('the comparison says which is better, on pairs, with the family printed', async () => {
    await page.goto(`${url}/runs/${runId}`);
    await page.locator('header a[href^="/compare"]').first().click();
    await page.waitForURL(/\/compare\?/);
    await page
      .getByText(/family|cells? (is|are|was|were) corrected|Benjamini/i)
      .first()
      .waitFor();
    const definition = {
      base: { run_id: runId, target: 'memcached' },
      contenders: [{ run_id: runId, target: 'Redis' }],
    };
    const found = await api.post('/comparisons/evaluate', definition);
    const [cell] = found.cells;
    assert.equal(cell.method, 'paired');
    assert.equal(cell.n_pairs, 6);
    assert.ok(cell.interval.low <= cell.ratio && cell.ratio <= cell.interval.high);
    assert.ok(['better', 'worse', 'equivalent', 'changed', 'not_enough_data'].includes(cell.verdict));
    fact('Redis against memcached', `${cell.ratio.toFixed(3)} ${cell.verdict}`);
    return page.url();
  });
}

export async function shareComparison({ page }, address) {
  return step('the comparison is shared by a link', async () => {
    await page.goto(address);
    return { url: await makeLink(page), returnTo: address };
  });
}

export async function shareRun({ page, url }, runId) {
  return step('the run is shared by a link, as it is seen', async () => {
    const address = `${url}/runs/${runId}?logy=true`;
    await page.goto(address);
    return { url: await makeLink(page), returnTo: address };
  });
}

async function makeLink(page) {
  await page.getByRole('button', { name: 'Share', exact: true }).click();
  const dialog = page.getByRole('dialog');
  await dialog.getByRole('button', { name: 'Make the link' }).click();
  return (await dialog.locator('.secret').first().innerText()).trim();
}

export async function openLoggedOut(browser, { url }, link, runId) {
  await step('somebody without an account sees exactly that, and nothing beyond it', async () => {
    const context = await browser.newContext({ locale: 'en-GB' });
    const page = await context.newPage();
    const errors = [];
    page.on('console', (message) => message.type() === 'error' && errors.push(message.text()));
    await page.goto(link.url);
    await page.getByText('memcached').first().waitFor();
    await page.locator('figure.chart-figure svg').first().waitFor();
    assert.equal(await page.getByRole('link', { name: 'Targets', exact: true }).count(), 0);
    assert.equal((await context.request.get(`${url}/api/v1/runs/${runId}`)).status(), 401);
    assert.equal((await context.request.get(`${url}/api/v1/targets`)).status(), 401);
    assert.deepEqual(errors, []);
    await context.close();
  });
}

export async function revokeLink(browser, { page }, link) {
  await step('a revoked link shows nothing any more', async () => {
    await page.goto(link.returnTo);
    await page.getByRole('button', { name: 'Share', exact: true }).click();
    await page
      .getByRole('button', { name: /^Revoke the link/ })
      .first()
      .click();
    await page
      .getByRole('dialog', { name: /^Revoke/ })
      .getByRole('button', { name: 'Revoke the link' })
      .click();
    await page.getByRole('dialog', { name: /^Revoke/ }).waitFor({ state: 'hidden' });
    const context = await browser.newContext();
    const visitor = await context.newPage();
    await visitor.goto(link.url);
    await visitor.getByText('This link was revoked').waitFor();
    await context.close();
  });
}
