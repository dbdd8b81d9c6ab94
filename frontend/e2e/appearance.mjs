// Every page in light and dark, wide and narrow: looked at by axe, and kept as a picture.
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { mkdir } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { watchedContext } from './browser.mjs';
import { fact, step } from './report.mjs';

const axeSource = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
const VIEWS = [
  { scheme: 'light', width: 1280, height: 800 },
  { scheme: 'dark', width: 1280, height: 800 },
  { scheme: 'light', width: 390, height: 844 },
];
const SERIOUS = new Set(['serious', 'critical']);

/** What one person alone sees of runs. */
export function firstPages(runId, trialId) {
  return [
    ['home', '/'],
    ['runs', '/runs'],
    ['new-run', '/runs/new?recipe=memcached-vs-redis'],
    ['run', `/runs/${runId}`],
    ['run-time', `/runs/${runId}?tab=time`],
    ['run-trials', `/runs/${runId}?tab=trials`],
    ['run-trial', `/runs/${runId}?tab=trials&detail=${trialId}`],
    ['run-environment', `/runs/${runId}?tab=environment`],
    ['run-plan', `/runs/${runId}?tab=plan`],
    ['targets', '/targets'],
    ['target', '/targets?edit=new'],
    ['agents', '/agents'],
    ['account', '/account'],
  ];
}

/** What a team sees over time. */
export function teamPages({ runId, comparison, seriesId, alertId, dashboardId }) {
  return [
    ['home-later', '/'],
    ['run-latency', `/runs/${runId}?tab=latency`],
    ['run-discussion', `/runs/${runId}?tab=discussion`],
    ['compare-empty', '/compare'],
    ['compare', comparison],
    ['trends', '/trends'],
    ['trend', `/trends/${seriesId}`],
    ['alerts', '/alerts'],
    ['alert', `/alerts/${alertId}`],
    ['dashboards', '/dashboards'],
    ['dashboard', `/dashboards/${dashboardId}`],
    ['queue', '/queue'],
    ['schedules', '/schedules'],
    ['plans', '/plans'],
    ['members', '/settings/members'],
    ['tokens', '/settings/tokens'],
    ['sessions', '/settings/sessions'],
    ['notifications', '/settings/notifications'],
    ['audit', '/settings/audit'],
  ];
}

export async function lookAtEveryPage(browser, { url, faults, storageState, folder, pages }) {
  await mkdir(folder, { recursive: true });
  for (const view of VIEWS) {
    await step(
      `every page at ${view.width} px in ${view.scheme}: no serious fault for axe, no sideways scroll`,
      async () => {
        const context = await watchedContext(browser, {
          faults,
          storageState,
          colorScheme: view.scheme,
          ...view,
        });
        const page = await context.newPage();
        const found = [];
        for (const [name, path] of pages) {
          await page.goto(`${url}${path}`);
          await settle(page);
          await page.screenshot({
            path: join(folder, `${name}-${view.scheme}-${view.width}.png`),
            fullPage: true,
          });
          found.push(...(await faultsOfAxe(page, `${name} (${view.scheme}, ${view.width})`)));
          const overflow = await page.evaluate(
            () => document.documentElement.scrollWidth - window.innerWidth,
          );
          if (overflow > 0) found.push(`${name} is ${overflow} px wider than ${view.width} px`);
        }
        await context.close();
        assert.deepEqual(found, []);
      },
    );
  }
  await step('the sign-in page too', async () => {
    for (const scheme of ['light', 'dark']) {
      const context = await watchedContext(browser, { faults: [], colorScheme: scheme });
      const page = await context.newPage();
      await page.goto(`${url}/sign-in`);
      await settle(page);
      await page.screenshot({ path: join(folder, `sign-in-${scheme}-1280.png`) });
      assert.deepEqual(await faultsOfAxe(page, `sign-in (${scheme})`), []);
      await context.close();
    }
  });
  fact('screenshots', folder);
}

/** Until nothing is loading any more. */
async function settle(page) {
  await page.waitForLoadState('domcontentloaded');
  await page.locator('h1').first().waitFor();
  await page.waitForFunction(() => document.querySelectorAll('[aria-busy="true"]').length === 0);
  await page.waitForTimeout(300);
}

async function faultsOfAxe(page, where) {
  await page.evaluate(axeSource);
  const { violations } = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  const serious = violations.filter(({ impact }) => SERIOUS.has(impact));
  return serious.map(
    ({ id, nodes }) =>
      `axe on ${where}: ${id}: ${nodes
        .slice(0, 3)
        .map(({ html, failureSummary }) => `${html.slice(0, 160)} ${failureSummary}`)
        .join(' | ')}`,
  );
}

export async function takeReadmePicture(browser, { url, storageState, runId, file }) {
  await step('the picture for the README', async () => {
    const context = await watchedContext(browser, { faults: [], storageState });
    const page = await context.newPage();
    await page.goto(`${url}/runs/${runId}`);
    await settle(page);
    await page.screenshot({ path: file });
    await context.close();
  });
}
