// A study on a live stack: from the gallery to curves over the published ones.
//   node e2e/studies.mjs --url http://127.0.0.1:8080 --credentials ../.loadstone/demo.json [--screenshots DIR]
import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { parseArgs } from 'node:util';
import { lookAtEveryPage } from './appearance.mjs';
import { apiOf, startBrowser, watchedContext } from './browser.mjs';
import { signIn } from './first-run.mjs';
import { measureByOtherEngines } from './other-engines.mjs';
import { conclude, step, until } from './report.mjs';

const { values } = parseArgs({
  options: {
    url: { type: 'string' },
    credentials: { type: 'string', default: '../.loadstone/demo.json' },
    screenshots: { type: 'string', default: '../.loadstone/screenshots' },
  },
});
const credentials = JSON.parse(readFileSync(values.credentials, 'utf8'));
const person = { ...credentials, url: values.url ?? credentials.url };

const STUDY = 'four-stores-eleven-configurations';
/** Of the eleven, those that every host of this test has. */
const KINDS = new Set(['memcached', 'redis']);
const RUN_LIMIT_MS = 60_000;
const KEYS = 500;
const CHART = '.chart-panels [role="group"] .recharts-surface';

const browser = await startBrowser();
const faults = [];
const context = await watchedContext(browser, { faults });
const page = await context.newPage();
page.setDefaultTimeout(20_000);
await conclude(
  'browser_test_of_studies',
  { faults, folder: values.screenshots, pageNow: () => page },
  async () => {
    console.log(`browser test of the studies on ${person.url}`);
    await signIn(page, person);
    faults.length = 0;
    const api = apiOf(context, person.url);
    await openFromGallery();
    await seeWhatWasPublished();
    const runId = await startTrimmed(api);
    await seeCurvesOverThoseOfOthers(runId, api);
    await seeLatencyAndTime(runId);
    const enginesRunId = await measureByOtherEngines(page, person.url, api);
    await lookAtEveryPage(browser, {
      url: person.url,
      faults,
      storageState: await context.storageState(),
      folder: values.screenshots,
      pages: [
        ['recipes', '/recipes'],
        ['recipe', `/recipes/${STUDY}`],
        ['study', `/runs/${runId}`],
        ['study-latency', `/runs/${runId}?tab=latency`],
        ['study-editor', `/runs/new?recipe=${STUDY}`],
        ['engines', `/runs/${enginesRunId}`],
      ],
    });
  },
);
await browser.close();

async function openFromGallery() {
  await step('the gallery finds a study by its question', async () => {
    await page.goto(`${person.url}/recipes`);
    const studies = page.getByRole('region', { name: 'Studies' }).getByRole('article');
    await until('five studies', async () => (await studies.count()) === 5, 10_000);
    await page.keyboard.press('/');
    await page.keyboard.type('eleven');
    await until('one study', async () => (await studies.count()) === 1, 5000);
    await studies.getByRole('link').click();
    await page.waitForURL(new RegExp(`/recipes/${STUDY}`));
  });
}

async function seeWhatWasPublished() {
  await step('its page draws the published figures before anything has run', async () => {
    const figures = page.getByRole('region', { name: 'Published figures' });
    await figures.getByRole('heading', { name: 'The published figures' }).waitFor();
    // Charts are drawn when they come into sight.
    await figures.scrollIntoViewIfNeeded();
    await page.mouse.wheel(0, 1200);
    await figures.locator('.recharts-surface').first().waitFor();
    await figures.getByRole('button', { name: 'Source' }).click();
    const dialog = page.getByRole('dialog', { name: 'Where the published figures are from' });
    assert.ok((await dialog.getByRole('row').count()) > 1, 'the source lists no figure');
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });
  await step('it says who can take it', () =>
    page.getByText(/Can be taken by|No agent can take it now/).waitFor(),
  );
}

/** The quick size with the stores that are here, one workload, one point and a second each. */
async function startTrimmed(api) {
  return step('a trimmed study starts, and remembers what it began as', async () => {
    const { sizes } = await api.get(`/recipes/${STUDY}`);
    const { definition } = sizes.find(({ size }) => size === 'quick');
    const targets = definition.targets
      .filter(({ kind, profile }) => KINDS.has(kind) && !/aof|rdb/.test(profile))
      .slice(0, 2);
    const names = new Set(targets.map(({ name }) => name));
    const workloads = definition.workloads
      .filter((entry) => !entry.targets || entry.targets.some((name) => names.has(name)))
      .map((entry) => ({
        ...entry,
        targets: entry.targets?.filter((name) => names.has(name)),
        ...small(entry),
      }));
    const plan = {
      ...definition,
      name: 'A study, trimmed',
      targets,
      workloads,
      trials_per_point: 1,
      rest_s: 0,
      warmup: null,
      stop: { seconds: 2 },
      axes: definition.axes.map(({ parameter, values: all }) => ({ parameter, values: all.slice(-1) })),
    };
    const run = await api.post('/runs', { plan, recipe: { slug: STUDY, size: 'quick' } });
    assert.equal(run.recipe.slug, STUDY);
    await page.goto(`${person.url}/runs/${run.id}`);
    await until(
      'the end of the run',
      async () => (await api.get(`/runs/${run.id}`)).finished_at !== null,
      RUN_LIMIT_MS,
    );
    return run.id;
  });
}

function small({ workload }) {
  return {
    workload: { ...workload, dataset: { ...workload.dataset, key_count: KEYS } },
    load: null,
    stop: null,
    only: {},
  };
}

async function seeCurvesOverThoseOfOthers(runId, api) {
  await step('its curves stand in small multiples, over the published ones', async () => {
    await page.goto(`${person.url}/runs/${runId}`);
    await page.locator(CHART).first().waitFor();
    const { series } = await api.get(`/runs/${runId}/published`);
    assert.ok(series.length > 0, 'nothing published is laid onto this run');
    await page.getByRole('group', { name: 'Published figures' }).getByRole('switch').waitFor();
  });
  await step('ratios first, values when asked; the URL keeps it', async () => {
    const values_ = page.getByRole('combobox', { name: 'Values' });
    assert.match(await values_.inputValue(), /^ratio to /);
    await values_.click();
    await page.getByRole('option', { name: 'absolute values' }).click();
    await until('the URL', () => /norm=none/.test(page.url()), 5000);
    await page.reload();
    await page.locator(CHART).first().waitFor();
    assert.equal(await values_.inputValue(), 'absolute values');
  });
  await step('who published them is one click away', async () => {
    await page.getByRole('button', { name: 'Source' }).click();
    const dialog = page.getByRole('dialog', { name: 'Where the published figures are from' });
    await dialog.getByRole('row').nth(1).waitFor();
    await page.keyboard.press('Escape');
    await dialog.waitFor({ state: 'detached' });
  });
  await step('another metric, another axis', async () => {
    await page.getByRole('combobox', { name: 'Metric' }).click();
    await page.getByRole('option', { name: 'Response time, percentiles' }).click();
    await page.locator('[role="group"][aria-label^="Response time p99"]').first().waitFor();
    await page.getByRole('combobox', { name: 'Axis' }).click();
    await page.getByRole('option', { name: 'over target' }).click();
    await page.locator('[role="group"][aria-label*="over target"]').first().waitFor();
  });
}

async function seeLatencyAndTime(runId) {
  await step('heat maps share a scale, are read by keys and as a table', async () => {
    await page.goto(`${person.url}/runs/${runId}?tab=latency`);
    const maps = page.locator('figure.heat-figure');
    await maps.first().waitFor();
    await maps.first().focus();
    await page.keyboard.press('ArrowRight');
    await page.getByText(/ to .*: [\d,]+ of [\d,]+ answers/).waitFor();
    await page.getByRole('button', { name: 'table' }).first().click();
    await page.getByRole('region', { name: /^The same numbers/ }).waitFor();
  });
  await step('what the targets promise stands side by side', async () => {
    await page.getByRole('tab', { name: 'Environment' }).click();
    await page.getByRole('region', { name: 'What the targets promise' }).waitFor();
  });
  await step('the seconds of a trial have those of its store below', async () => {
    await page.getByRole('tab', { name: 'Time' }).click();
    await page
      .locator('[role="group"][aria-label^="Throughput, second by second"] .recharts-line-curve')
      .waitFor();
  });
}
