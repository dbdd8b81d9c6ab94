/** Cancels, reconnects, starts by keyboard, and shows hostile names as text. */

import { smallPlan } from './api.mjs';
import { check, eventually } from './browser.mjs';

const CANCEL_LIMIT_MS = 5000;

/** The click reaches the engine: the run is cancelled, on screen and in the api, within five seconds. */
export async function checkCancel(page, api, url) {
  const run = await api.post('/runs', { plan: smallPlan('To be cancelled', 60) });
  await page.goto(`${url}/runs/${run.id}`);
  await page.locator('[data-sample-at]').waitFor({ timeout: 20_000 });
  await page.getByRole('button', { name: 'Cancel', exact: true }).click();
  const clickedAt = Date.now();
  await page.getByRole('button', { name: 'Cancel the run' }).click();
  await eventually(
    async () => (await api.get(`/runs/${run.id}`)).status === 'cancelled',
    'the run is cancelled',
    CANCEL_LIMIT_MS,
  );
  await eventually(
    () => page.getByText('cancelled', { exact: false }).first().isVisible(),
    'the page says so',
    CANCEL_LIMIT_MS,
  );
  return Date.now() - clickedAt;
}

/** The line is cut for some seconds; afterwards the page holds every second of the trial. */
export async function checkReconnect(page, api, url) {
  const run = await api.post('/runs', { plan: smallPlan('Cut line', 12) });
  await page.goto(`${url}/runs/${run.id}`);
  await page.locator('[data-sample-at]').waitFor({ timeout: 20_000 });
  await page.context().setOffline(true);
  await page.waitForTimeout(4000);
  await page.context().setOffline(false);
  await eventually(
    async () => (await api.get(`/runs/${run.id}`)).status === 'succeeded',
    'the run goes on',
    40_000,
  );
  await eventually(
    () => page.getByText('succeeded', { exact: false }).first().isVisible(),
    'the page hears of the end',
    10_000,
  );
}

export async function checkKeyboardStart(page, url) {
  await page.goto(`${url}/runs/new?recipe=memcached-vs-redis`);
  const button = page.getByRole('button', { name: 'Run now' });
  await eventually(() => button.isEnabled(), 'the recipe is accepted');
  await page.getByLabel('Name', { exact: true }).focus();
  for (let presses = 0; presses < 120; presses += 1) {
    await page.keyboard.press('Tab');
    if (await button.evaluate((node) => node === document.activeElement)) break;
  }
  check(await button.evaluate((node) => node === document.activeElement), 'Tab reaches Run now');
  await page.keyboard.press('Enter');
  await page.waitForURL(/\/runs\/[0-9a-f-]{36}/);
  return page.url().match(/\/runs\/([0-9a-f-]{36})/)[1];
}

const HOSTILE = '<img src=x onerror="window.wasHit=1">';

/** A name is text wherever it is shown. */
export async function checkHostileName(page, api, url) {
  const run = await api.post('/runs', { plan: smallPlan(HOSTILE, 1) });
  for (const path of ['/', '/runs', `/runs/${run.id}`]) {
    await page.goto(`${url}${path}`);
    await page.getByText(HOSTILE, { exact: false }).first().waitFor();
    check(await page.evaluate(() => window.wasHit === undefined), `no script of a name runs on ${path}`);
  }
  await eventually(
    async () => (await api.get(`/runs/${run.id}`)).finished_at !== null,
    'the run ends',
    30_000,
  );
}

/** What the api refuses is said at the field that causes it. */
export async function checkRefusalAtField(page, url) {
  await page.goto(`${url}/runs/new?recipe=memcached-vs-redis`);
  const field = page.getByLabel('Values of', { exact: false }).first();
  await field.fill('0 4');
  await eventually(async () => (await field.getAttribute('aria-invalid')) === 'true', 'the field is marked');
  check(
    !(await page.getByRole('button', { name: 'Run now' }).isEnabled()),
    'a refused plan cannot be started',
  );
  // What was typed is kept for the next visit, so mend it.
  await field.fill('1 4');
  await eventually(
    () => page.getByRole('button', { name: 'Run now' }).isEnabled(),
    'a mended plan can be started',
  );
}
