/**
 * The browser test on a live stack:
 * node e2e/run.mjs --url URL --credentials demo.json [--screenshots FOLDER] [--readme-screenshot FILE]
 */
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { makeApi } from './api.mjs';
import { check, launch, openPage, shoot } from './browser.mjs';
import { lookAtEverything, shootForReadme } from './look.mjs';
import {
  checkCancel,
  checkHostileName,
  checkKeyboardStart,
  checkReconnect,
  checkRefusalAtField,
} from './manage-runs.mjs';
import { checkCurve, checkViewInUrl, measureInBrowser, signIn } from './measure-in-browser.mjs';

const { values: options } = parseArgs({
  options: {
    url: { type: 'string' },
    credentials: { type: 'string' },
    screenshots: { type: 'string', default: 'screenshots' },
    'readme-screenshot': { type: 'string' },
  },
});
const credentials = { ...JSON.parse(readFileSync(options.credentials, 'utf8')), url: options.url };
const { url } = credentials;
const api = makeApi(credentials);
const folder = options.screenshots;
const startedAt = Date.now();

const browser = await launch();
const { page, context, faults } = await openPage(browser);
let step = 'sign in';
async function perform(name, action) {
  step = name;
  return action();
}

try {
  await perform('sign in', () => signIn(page, credentials));
  const measured = await perform('from a click to a curve', () => measureInBrowser(page, credentials));
  await perform('the curve tells what the api tells', () => checkCurve(page, api, measured.runId));
  await perform('the view stands in the address', () => checkViewInUrl(page));
  await perform('a refusal stands at its field', () => checkRefusalAtField(page, url));
  const cancelMs = await perform('cancel', () => checkCancel(page, api, url));
  await perform('hostile names are text', () => checkHostileName(page, api, url));
  const unplugged = await openPage(browser, { storageState: await context.storageState() });
  await perform('a cut line loses nothing', () => checkReconnect(unplugged.page, api, url));
  const byKeyboard = await perform('start by keyboard', () => checkKeyboardStart(page, url));
  await api.post(`/runs/${byKeyboard}/cancel`);
  const storageState = await context.storageState();
  const target = { url, runId: measured.runId, folder };
  faults.push(
    ...(await perform('every page in light, dark and narrow', () =>
      lookAtEverything(browser, storageState, target),
    )),
  );
  if (options['readme-screenshot']) {
    await shootForReadme(browser, storageState, { ...target, file: options['readme-screenshot'] });
  }
  await perform('nothing went wrong in the console', () =>
    check(faults.length === 0, 'no error in the console', faults.join('\n')),
  );
  const { lags } = measured;
  const middle = lags[Math.floor(lags.length / 2)];
  console.log(
    `browser: 10 steps passed in ${Math.round((Date.now() - startedAt) / 1000)} s; sample to screen median ${middle} ms, ` +
      `slowest ${lags.at(-1)} ms of ${lags.length}; cancel ${cancelMs} ms`,
  );
} catch (error) {
  await shoot(page, folder, 'failed').catch(() => undefined);
  console.log(
    `browser: failed at "${step}": ${error.message}\n${faults.join('\n')}\nscreenshot: ${folder}/failed.png`,
  );
  process.exitCode = 1;
} finally {
  await browser.close();
}
