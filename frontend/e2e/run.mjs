// The browser test against a live stack:
//   node e2e/run.mjs --url http://127.0.0.1:8080 --credentials ../.loadstone/demo.json [--screenshots DIR] [--readme-screenshot FILE]
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { firstPages, lookAtEveryPage, takeReadmePicture } from './appearance.mjs';
import { apiOf, startBrowser, watchedContext } from './browser.mjs';
import { exerciseCurves, exportChart, openTabs } from './curves.mjs';
import { startProxy } from './cuttable-proxy.mjs';
import { seeEmptyHome, signIn, startByHand, waitForCurve, watchLive } from './first-run.mjs';
import { cancelAnother, exerciseTargetsAndAgents, startByKeyboard, tryHostileNames } from './more-runs.mjs';
import { conclude } from './report.mjs';

const RUN_LIMIT_MS = 240_000;

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    credentials: { type: 'string', default: '../.loadstone/demo.json' },
    screenshots: { type: 'string', default: '../.loadstone/screenshots' },
    'readme-screenshot': { type: 'string' },
  },
});
const credentials = JSON.parse(readFileSync(values.credentials, 'utf8'));
const proxy = await startProxy(values.url ?? credentials.url);
const person = { ...credentials, url: proxy.url };

const browser = await startBrowser();
const faults = [];
const context = await watchedContext(browser, { faults });
const page = await context.newPage();
page.setDefaultTimeout(20_000);
await conclude('browser_test', { faults, folder: values.screenshots, pageNow: () => page }, async () => {
  console.log(`browser test on ${values.url ?? credentials.url}`);
  await signIn(page, person);
  // What failed before signing in (who is there? nobody) and while the test itself had cut the wire is no fault of the page.
  faults.length = 0;
  const api = apiOf(context, person.url);
  await seeEmptyHome(page, person, api);
  const runId = await startByHand(page, person, 'memcached against Redis, by hand');
  await watchLive(page, proxy);
  const ofThePage = faults.filter((fault) => !/net::ERR_/.test(fault));
  faults.splice(0, faults.length, ...ofThePage);
  await waitForCurve(page, api, runId, RUN_LIMIT_MS);
  await exerciseCurves(page);
  await page.goto(`${person.url}/runs/${runId}`);
  await exportChart(page);
  await openTabs(page);
  await cancelAnother(page, person, api, runId);
  await startByKeyboard(page, person, api);
  await tryHostileNames(page, person, api);
  await exerciseTargetsAndAgents(page, person, api);
  const trialId = (await api.get(`/runs/${runId}/trials?limit=1`)).items[0].id;
  const storageState = await context.storageState();
  await lookAtEveryPage(browser, {
    url: person.url,
    faults,
    storageState,
    folder: values.screenshots,
    pages: firstPages(runId, trialId),
  });
  if (values['readme-screenshot']) {
    await takeReadmePicture(browser, {
      url: person.url,
      storageState,
      runId,
      file: values['readme-screenshot'],
    });
  }
});
await browser.close();
proxy.stop();
