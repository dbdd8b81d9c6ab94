/** Every page in light and dark, wide and narrow: axe, width, screenshot. All faults at once, not the first alone. */
import { checkAccessible, checkNoSidewaysScroll, NARROW, openPage, shoot, WIDE } from './browser.mjs';

function pages(runId) {
  const run = `/runs/${runId}`;
  return [
    ['home', '/'],
    ['runs', '/runs'],
    ['new-run', '/runs/new?recipe=memcached-vs-redis'],
    ['run-curves', run],
    ['run-time', `${run}?tab=time`],
    ['run-trials', `${run}?tab=trials`],
    ['run-environment', `${run}?tab=environment`],
    ['run-plan', `${run}?tab=plan`],
    ['agents', '/agents'],
    ['targets', '/targets'],
    ['account', '/account'],
  ];
}

const LOOKS = [
  { scheme: 'light', viewport: WIDE, suffix: 'light' },
  { scheme: 'dark', viewport: WIDE, suffix: 'dark' },
  { scheme: 'light', viewport: NARROW, suffix: 'narrow' },
];

async function settle(page) {
  await page.getByRole('heading').first().waitFor();
  await page.waitForLoadState('networkidle', { timeout: 3000 }).catch(() => undefined);
}

export async function lookAtEverything(browser, storageState, { url, runId, folder }) {
  const faults = [];
  for (const look of LOOKS) {
    const opened = await openPage(browser, { ...look, storageState });
    for (const [name, path] of pages(runId)) {
      await opened.page.goto(`${url}${path}`);
      await settle(opened.page);
      await shoot(opened.page, folder, `${name}-${look.suffix}`);
      for (const examine of [checkAccessible, checkNoSidewaysScroll]) {
        await examine(opened.page, `${name} (${look.suffix})`).catch(({ message }) => faults.push(message));
      }
    }
    faults.push(...opened.faults);
    await opened.context.close();
  }
  return faults;
}

/** The picture at the top of the README. */
export async function shootForReadme(browser, storageState, { url, runId, file }) {
  const opened = await openPage(browser, {
    scheme: 'light',
    viewport: { width: 1280, height: 900 },
    storageState,
  });
  await opened.page.goto(`${url}/runs/${runId}`);
  await settle(opened.page);
  await opened.page.screenshot({ path: file, animations: 'disabled' });
  await opened.context.close();
}
