/** Picks two stores and a workload, presses Run now, watches the curve draw itself, reads it. */
import { check, eventually } from './browser.mjs';

const RUN_WITHIN_MS = 90_000;
const LAG_LIMIT_MS = 1000;

export async function signIn(page, { url, email, password }) {
  await page.goto(url);
  await page.getByLabel('E-mail').fill(email);
  await page.locator('input[type=password]').fill(password);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByRole('navigation').first().waitFor();
}

async function chooseTarget(page, text) {
  await page.getByRole('combobox', { name: 'Add a target' }).click();
  await page.getByRole('combobox', { name: 'Add a target' }).fill(text);
  await page.getByRole('option', { name: text }).first().click();
}

export async function fillPlan(page, url, name) {
  await page.goto(`${url}/runs/new`);
  await page.getByLabel('Name', { exact: true }).fill(name);
  await chooseTarget(page, 'memcached:');
  await chooseTarget(page, 'Redis: ');
  await page.getByLabel('Values of', { exact: false }).first().fill('1..16 x4');
  await page.getByLabel('Trials per point').fill('2');
  await page.getByLabel('Warm-up (s)').fill('0.5');
  await page.getByLabel('Measure (s)').fill('3');
}

/** From a click to a curve. Returns the run's id and the slowest and median way of a sample to the screen. */
export async function measureInBrowser(page, credentials) {
  await fillPlan(page, credentials.url, 'From a click to a curve');
  const button = page.getByRole('button', { name: 'Run now' });
  await eventually(() => button.isEnabled(), 'the plan is accepted');
  const clickedAt = Date.now();
  await button.click();
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}/);
  const runId = page.url().match(/\/runs\/([0-9a-f-]{36})/)[1];
  const lags = await watchSamples(page);
  await eventually(
    () => page.getByText('succeeded', { exact: false }).first().isVisible(),
    'the run succeeds',
    RUN_WITHIN_MS,
  );
  return { runId, lags, tookMs: Date.now() - clickedAt };
}

/** How long each sample took from the end of its second to the screen, in milliseconds. */
async function watchSamples(page) {
  const live = page.locator('[data-sample-at]');
  await live.waitFor({ timeout: 20_000 });
  await live.evaluate((node) => {
    window.sampleLags = [];
    const note = () => {
      const at = document.querySelector('[data-sample-at]')?.getAttribute('data-sample-at');
      if (at) window.sampleLags.push(Date.now() - Date.parse(at));
    };
    const options = { attributes: true, subtree: true, childList: true, attributeFilter: ['data-sample-at'] };
    let last = node.getAttribute('data-sample-at');
    new MutationObserver(() => {
      const now = document.querySelector('[data-sample-at]')?.getAttribute('data-sample-at');
      if (now && now !== last) {
        last = now;
        note();
      }
    }).observe(document.body, options);
  });
  await eventually(
    () => page.evaluate(() => window.sampleLags.length >= 6),
    'six samples reach the screen',
    40_000,
  );
  const lags = (await page.evaluate(() => window.sampleLags)).sort((a, b) => a - b);
  const median = lags[Math.floor(lags.length / 2)];
  check(median < LAG_LIMIT_MS, 'a live value is on the screen within a second', `median ${median} ms`);
  return lags;
}

const digits = (text) => Number(text.replace(/[^0-9.]/g, ''));

/** The table shows the very numbers of the api, for both targets at every value of the axis. */
export async function checkCurve(page, api, runId) {
  const points = (await api.get(`/runs/${runId}/points`)).items;
  check(points.length === 6 && points.every(({ total }) => total !== null), 'every point was measured');
  const table = page.getByRole('table', { name: 'Points' });
  await table.waitFor();
  const rows = await table.locator('tbody tr').allInnerTexts();
  for (const { parameters, total } of points) {
    const row = rows
      .map((text) => text.split('\t'))
      .find(
        ([target, connections]) =>
          target.trim() === parameters.target && digits(connections) === parameters.connections,
      );
    check(row, 'the table has a row for every point', `${parameters.target} ${parameters.connections}`);
    const shown = digits(row[2]);
    check(
      Math.abs(shown - total.throughput_per_s) <= 1,
      'the table shows the api\u2019s throughput',
      `${shown} ${total.throughput_per_s}`,
    );
  }
  const lines = await page.locator('.recharts-line-curve').count();
  check(lines >= 4, 'throughput and response time are drawn for both targets', `${lines} lines`);
}

/** What a person chose stands in the address and survives a reload. */
export async function checkViewInUrl(page) {
  await page.getByText('p50', { exact: true }).first().click();
  await page.getByText('Service time', { exact: true }).first().click();
  await eventually(
    () => /pct=/.test(page.url()) && /time=service/.test(page.url()),
    'the choice stands in the address',
  );
  const before = page.url();
  await page.reload();
  await page.getByRole('table', { name: 'Points' }).waitFor();
  check(page.url() === before, 'a reload keeps the address', page.url());
  const chosen = await page.getByRole('radio', { name: 'Service time' }).isChecked();
  check(chosen, 'a reload keeps the choice');
}
