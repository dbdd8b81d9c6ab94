// What a person does with a finished run: toggles, zoom, export, tabs; and the URL that remembers it.
import assert from 'node:assert/strict';
import { readFile } from 'node:fs/promises';
import { curvesIn } from './browser.mjs';
import { step, until } from './report.mjs';

const THROUGHPUT = '[role="group"][aria-label^="Throughput over connections"]';

export async function exerciseCurves(page) {
  await step('log, percentile and hidden lines are in the URL and survive a reload', async () => {
    await page.getByRole('button', { name: 'log y: Throughput' }).click();
    await page.getByText('p50', { exact: true }).first().click();
    await page.getByText('Service time', { exact: true }).click();
    await page
      .getByRole('group', { name: 'Lines of the chart' })
      .getByRole('button', { name: 'memcached' })
      .click();
    await until(
      'the URL',
      () =>
        /logy=true/.test(page.url()) &&
        /pct=/.test(page.url()) &&
        /time=service/.test(page.url()) &&
        /hide=/.test(page.url()),
      5000,
    );
    const before = await viewOf(page);
    await page.reload();
    await page.locator(`${THROUGHPUT} .recharts-line-curve`).first().waitFor();
    assert.deepEqual(await viewOf(page), before);
    assert.equal(before.lines, 1);
  });
  await step('a double click leaves one line alone, another brings all back', async () => {
    const redis = page
      .getByRole('group', { name: 'Lines of the chart' })
      .getByRole('button', { name: 'Redis' });
    await redis.dblclick();
    await until('all lines', async () => (await curvesIn(page.locator(THROUGHPUT))).length === 2, 5000);
  });
  await step('dragging over a chart zooms, and the URL keeps it', async () => {
    const plot = await plotOf(page);
    const y = plot.y + plot.height / 2;
    await page.mouse.move(plot.x + plot.width * 0.3, y);
    await page.mouse.down();
    await page.mouse.move(plot.x + plot.width * 0.98, y, { steps: 8 });
    await page.mouse.up();
    await until('the zoom in the URL', () => /zoom=/.test(page.url()), 5000);
    await page.getByRole('button', { name: 'Show all' }).click();
    await until('no zoom', () => !/zoom=/.test(page.url()), 5000);
  });
  await step('the tooltip says value, interval and number of trials', async () => {
    const plot = await plotOf(page);
    await page.mouse.move(plot.x + plot.width * 0.5, plot.y + plot.height / 2);
    const tooltip = page.locator(`${THROUGHPUT} .chart-tooltip`);
    await tooltip.waitFor();
    assert.match(await tooltip.innerText(), /ops\/s[\s\S]*\[.*\][\s\S]*2 trials/);
    await page.mouse.move(0, 0);
    await tooltip.waitFor({ state: 'detached' });
  });
  await step('the arrow keys move the cross-hair', async () => {
    await page.locator(`${THROUGHPUT} .recharts-wrapper > svg`).focus();
    await page.keyboard.press('ArrowRight');
    await page.locator(`${THROUGHPUT} .chart-tooltip`).waitFor();
    assert.match(await page.locator(`${THROUGHPUT} .chart-tooltip`).innerText(), /connections 4/);
  });
}

async function plotOf(page) {
  await page.locator(THROUGHPUT).scrollIntoViewIfNeeded();
  return page.locator(`${THROUGHPUT} .recharts-cartesian-grid`).boundingBox();
}

async function viewOf(page) {
  return {
    logY: await page.getByRole('button', { name: 'log y: Throughput' }).getAttribute('aria-pressed'),
    p50: await page.getByRole('checkbox', { name: 'p50', exact: true }).isChecked(),
    service: await page.getByRole('radio', { name: 'Service time' }).isChecked(),
    lines: (await curvesIn(page.locator(THROUGHPUT))).length,
  };
}

export async function exportChart(page) {
  await step('a chart is saved as CSV, SVG and PNG', async () => {
    const csv = await saved(page, 'CSV');
    assert.match(csv.toString(), /^line,connections,at,value,low,high,trials,trust,failed\r\nmemcached,1,/);
    const svg = (await saved(page, 'SVG')).toString();
    assert.match(svg, /^<svg [\s\S]*Throughput over connections[\s\S]*memcached[\s\S]*recharts-line-curve/);
    const png = await saved(page, 'PNG');
    assert.equal(png.subarray(1, 4).toString(), 'PNG');
    // Width in the header: twice the drawing's.
    assert.ok(png.readUInt32BE(16) > 800, 'the picture is too small');
  });
}

async function saved(page, kind) {
  await page
    .locator(THROUGHPUT)
    .getByRole('button', { name: /^Export/ })
    .click();
  const download = page.waitForEvent('download');
  await page.getByRole('menuitem', { name: kind }).click();
  return readFile(await (await download).path());
}

export async function openTabs(page) {
  await step('Time draws one trial, second by second', async () => {
    await page.getByRole('tab', { name: 'Time' }).click();
    await page
      .locator('[role="group"][aria-label^="Throughput, second by second"] .recharts-line-curve')
      .waitFor();
    await page.getByRole('table', { name: 'Seconds' }).getByRole('row').nth(3).waitFor();
  });
  await step('Trials lists the execution, and opens one', async () => {
    await page.getByRole('tab', { name: 'Trials' }).click();
    await page.getByRole('button', { name: 'Trial 1', exact: true }).click();
    const drawer = page.getByRole('dialog', { name: 'Trial 1' });
    await drawer.getByText('Command lines').waitFor();
    await drawer.getByText('Phase measure').waitFor();
    await page.keyboard.press('Escape');
    await drawer.waitFor({ state: 'detached' });
  });
  await step('Environment and Plan show what it ran on, and what it was', async () => {
    await page.getByRole('tab', { name: 'Environment' }).click();
    await page
      .getByText(/settings, the same in/)
      .first()
      .waitFor();
    await page.getByRole('tab', { name: 'Plan' }).click();
    const plan = JSON.parse(await page.locator('[aria-label="The plan as JSON"]').innerText());
    assert.equal(plan.targets.length, 2);
    await page.getByRole('tab', { name: 'Curves' }).click();
  });
}
