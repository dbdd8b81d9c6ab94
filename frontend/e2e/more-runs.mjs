// A second run that is cancelled, one started by keyboard alone, and names that would like to be code.
import assert from 'node:assert/strict';
import { fact, step, until } from './report.mjs';

const CANCEL_LIMIT_MS = 5000;
const HOSTILE = '<img src=x onerror="window.wasExecuted=1">';

export async function cancelAnother(page, { url }, api, runId) {
  await step('cloned with changes, cancelled, and seen cancelled within 5 s', async () => {
    await page.goto(`${url}/runs/${runId}`);
    await page.getByRole('link', { name: 'Clone with changes' }).click();
    await page.getByRole('textbox', { name: 'Measure (s)' }).fill('60');
    await page.getByRole('textbox', { name: 'Name' }).fill('to be cancelled');
    const start = page.getByRole('button', { name: 'Run now' });
    await until('Run now is enabled', () => start.isEnabled(), 10_000);
    await start.click();
    await page.getByRole('heading', { name: 'to be cancelled' }).waitFor();
    await page.locator('[aria-label="The trial under way"]').waitFor({ timeout: 30_000 });
    await page.getByRole('button', { name: 'Cancel', exact: true }).click();
    const pressedAt = Date.now();
    await page.getByRole('button', { name: 'Cancel the run' }).click();
    await page.locator('header').getByText('cancelled', { exact: true }).waitFor({ timeout: 15_000 });
    fact('cancel to seen cancelled (ms)', Date.now() - pressedAt);
    assert.ok(Date.now() - pressedAt <= CANCEL_LIMIT_MS, 'it took longer than 5 s');
    await until(
      'a clone that ended',
      async () => (await api.get('/runs?limit=1')).items[0].finished_at,
      5000,
    );
  });
}

export async function startByKeyboard(page, { url }, api) {
  await step('a run is started and cancelled by keyboard alone', async () => {
    await page.goto(url);
    await page.getByRole('heading', { name: 'Home' }).waitFor();
    await page.keyboard.press('n');
    await page.getByRole('heading', { name: 'New run' }).waitFor();
    await tabTo(page, 'Start from');
    await page.keyboard.type('memcached against');
    await page.keyboard.press('ArrowDown');
    await page.keyboard.press('Enter');
    await page.waitForURL(/recipe=/);
    await page.getByTestId('preview-trials').waitFor();
    await until(
      'Run now is enabled',
      () => page.getByRole('button', { name: 'Run now' }).isEnabled(),
      10_000,
    );
    await page.keyboard.press('Control+Enter');
    await page.waitForURL(/\/runs\/[0-9a-f-]{36}/);
    await page.getByRole('button', { name: 'Cancel', exact: true }).waitFor();
    await tabTo(page, 'Cancel');
    await page.keyboard.press('Enter');
    await page.getByRole('dialog').waitFor();
    await tabTo(page, 'Cancel the run');
    await page.keyboard.press('Enter');
    await page.locator('header').getByText('cancelled', { exact: true }).waitFor({ timeout: 15_000 });
    await until('its end', async () => (await api.get('/runs?limit=1')).items[0].finished_at, 10_000);
  });
  await step('? lists the shortcuts, Ctrl-K finds pages and runs', async () => {
    await page.keyboard.press('?');
    await page.getByRole('dialog', { name: 'Keyboard' }).waitFor();
    await page.keyboard.press('Escape');
    await page.keyboard.press('Control+k');
    const search = page
      .getByRole('textbox', { name: 'Search everything, or say what to do' })
      .or(page.getByRole('searchbox'));
    await search.first().waitFor();
    await page.keyboard.type('agents');
    await page.getByText('Hosts that measure').waitFor();
    await page.keyboard.press('Enter');
    await page.waitForURL(`${url}/agents`);
  });
}

const MOST_TABS = 60;

/** Presses Tab until the element with this accessible name has the focus. */
async function tabTo(page, name) {
  for (let presses = 0; presses < MOST_TABS; presses += 1) {
    await page.keyboard.press('Tab');
    const focused = await page.evaluate(() => {
      const element = document.activeElement;
      const label =
        element?.getAttribute('aria-label') ?? element?.labels?.[0]?.textContent ?? element?.textContent;
      return label?.trim();
    });
    if (focused === name) return;
  }
  throw new Error(`“${name}” is not reached with Tab`);
}

export async function tryHostileNames(page, { url }, api) {
  await step('names that would like to be code stay text', async () => {
    await page.goto(`${url}/targets?edit=new`);
    await page.getByRole('textbox', { name: 'Name' }).fill(HOSTILE);
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    await page.getByRole('table', { name: 'Targets' }).getByText(HOSTILE).waitFor();
    const target = (await api.get('/targets')).items.find(({ name }) => name === HOSTILE);
    const { definition } = (await api.get('/recipes')).items[0].sizes[0];
    const plan = { ...definition, name: HOSTILE, targets: [{ target_id: target.id }] };
    const run = await api.post('/runs', { plan });
    for (const path of [
      '/',
      '/runs',
      `/runs/${run.id}`,
      `/runs/${run.id}?tab=trials`,
      `/runs/new?from=${run.id}`,
      '/targets',
    ]) {
      await page.goto(`${url}${path}`);
      await page.getByText(HOSTILE).or(page.locator('input[value^="<img"]')).first().waitFor();
      assert.equal(await page.evaluate(() => window.wasExecuted), undefined, `executed on ${path}`);
      assert.equal(await page.locator('img[src="x"]').count(), 0);
    }
    await api.post(`/runs/${run.id}/cancel`);
    await api.delete(`/targets/${target.id}`);
    await until('its end', async () => (await api.get(`/runs/${run.id}`)).finished_at, 15_000);
  });
}

export async function exerciseTargetsAndAgents(page, { url }, api) {
  await step('an external target is checked through an agent, and archived', async () => {
    await page.goto(`${url}/targets?edit=new`);
    await page.getByText('Runs elsewhere', { exact: true }).click();
    await page.getByRole('textbox', { name: 'Name' }).fill('nobody there');
    await page.getByRole('textbox', { name: 'Host', exact: true }).fill('127.0.0.1');
    await page.getByRole('textbox', { name: 'Port', exact: true }).fill('1');
    await page.getByRole('button', { name: 'Save', exact: true }).click();
    const row = page.getByRole('row', { name: /nobody there/ });
    await row.getByRole('button', { name: 'Check' }).click();
    await row.getByText('unreachable').waitFor({ timeout: 20_000 });
    await row.getByRole('button', { name: 'Archive nobody there' }).click();
    await page.getByRole('button', { name: 'Archive the target' }).click();
    await row.waitFor({ state: 'detached' });
  });
  await step('an agent is drained and taken back; an enrollment shows its command once', async () => {
    await page.goto(`${url}/agents`);
    const drain = page.getByRole('switch', { name: 'Drain' }).first();
    await drain.click({ force: true });
    await page.getByText('draining').first().waitFor();
    await drain.click({ force: true });
    await page.getByText('draining').first().waitFor({ state: 'detached' });
    const agents = (await api.get('/agents')).items.length;
    await page.getByRole('button', { name: 'Enroll a host' }).click();
    await page.getByRole('button', { name: 'Show the command' }).click();
    await page.getByText(/lse_/).waitFor();
    await page.getByRole('button', { name: 'Done' }).click();
    assert.equal((await api.get('/agents')).items.length, agents);
  });
}
