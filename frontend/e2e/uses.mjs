// The three uses on a live stack: schedule it, share it, follow it over time.
//   node e2e/uses.mjs --url http://127.0.0.1:8080 --credentials ../.loadstone/demo.json [--screenshots DIR]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { lookAtEveryPage, teamPages } from './appearance.mjs';
import { apiOf, startBrowser, watchedContext } from './browser.mjs';
import { signIn } from './first-run.mjs';
import { createSchedule, makeSlowdown, seeTrend, waitForFirings, whatIsThere } from './follow.mjs';
import { conclude } from './report.mjs';
import {
  compareTargets,
  measureTwoTargets,
  openLoggedOut,
  revokeLink,
  shareComparison,
  shareRun,
} from './share.mjs';
import { startSlowableStore } from './slowable-store.mjs';
import { inviteSomeone } from './team.mjs';

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    credentials: { type: 'string', default: '../.loadstone/demo.json' },
    screenshots: { type: 'string', default: '../.loadstone/screenshots' },
  },
});
const credentials = JSON.parse(readFileSync(values.credentials, 'utf8'));
const admin = { ...credentials, url: values.url ?? credentials.url };

const store = await startSlowableStore();
const browser = await startBrowser();
const faults = [];
const context = await watchedContext(browser, { faults });
const page = await context.newPage();
page.setDefaultTimeout(20_000);
let current = page;
await conclude(
  'browser_test_of_uses',
  { faults, folder: values.screenshots, pageNow: () => current },
  async () => {
    console.log(`browser test of the three uses on ${admin.url}`);
    await signIn(page, admin);
    faults.length = 0;
    const api = apiOf(context, admin.url);
    const schedule = await createSchedule(page, admin, api, store);
    const editor = await inviteSomeone(browser, page, admin, api, faults);
    current = editor.page;
    const runId = await measureTwoTargets(editor);
    const comparison = await compareTargets(editor, runId);
    const links = [await shareComparison(editor, comparison), await shareRun(editor, runId)];
    for (const link of links) await openLoggedOut(browser, admin, link, runId);
    for (const link of links) await revokeLink(browser, editor, link);
    current = page;
    await waitForFirings(api, schedule, 2);
    await seeTrend(page, admin, api);
    await makeSlowdown(page, admin, api, schedule, store);
    await lookAtEveryPage(browser, {
      url: admin.url,
      faults,
      storageState: await context.storageState(),
      folder: values.screenshots,
      pages: teamPages({
        runId,
        comparison: new URL(comparison).pathname + new URL(comparison).search,
        ...(await whatIsThere(api)),
      }),
    });
  },
);
await browser.close();
store.stop();
