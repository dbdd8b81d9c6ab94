/** A real Chromium, and everything that must not happen in it. */
import { existsSync, mkdirSync, readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { chromium } from 'playwright-core';

const CHROMIUM = '/usr/bin/chromium';
const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];
export const WIDE = { width: 1280, height: 800 };
export const NARROW = { width: 390, height: 844 };
const AXE = readFileSync(createRequire(import.meta.url).resolve('axe-core/axe.min.js'), 'utf8');
/** Answers that a test provokes on purpose. */
const EXPECTED_ERRORS = [/status of 401/, /status of 422/];

export async function launch() {
  if (!existsSync(CHROMIUM)) throw new Error('Chromium is missing. Type: apt-get install -y chromium');
  return chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

/** A page that remembers script errors, console errors and refusals of the content security policy. */
export async function openPage(browser, { scheme, viewport = WIDE, storageState } = {}) {
  const context = await browser.newContext({ colorScheme: scheme ?? 'light', viewport, storageState });
  const page = await context.newPage();
  const faults = [];
  page.on('pageerror', (error) => faults.push(`script error: ${error.message}`));
  page.on('console', (message) => {
    const text = message.text();
    if (message.type() === 'error' && !EXPECTED_ERRORS.some((expected) => expected.test(text)))
      faults.push(text);
  });
  page.on('dialog', (dialog) => {
    faults.push(`a dialog opened: ${dialog.message()}`);
    void dialog.dismiss();
  });
  return { page, context, faults };
}

export function check(holds, fact, found = '') {
  if (!holds) throw new Error(`${fact}${found === '' ? '' : `; found: ${found}`}`);
}

/** Polls until `probe` answers something true; fails with the fact. */
export async function eventually(probe, fact, withinMs = 10_000) {
  const deadline = Date.now() + withinMs;
  for (;;) {
    const value = await probe();
    if (value) return value;
    check(Date.now() < deadline, `${fact} within ${withinMs} ms`);
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/** No fault that axe calls serious or critical. */
export async function checkAccessible(page, name) {
  // Evaluated, not added as a script tag: the page's policy would rightly refuse that.
  await page.evaluate(AXE);
  const found = await page.evaluate(() => window.axe.run(document, { resultTypes: ['violations'] }));
  const bad = found.violations.filter(({ impact }) => impact === 'serious' || impact === 'critical');
  const words = bad.map(
    ({ id, nodes }) => `${id}: ${nodes.map(({ target }) => target.join(' ')).join(', ')}`,
  );
  check(bad.length === 0, `axe finds nothing serious on ${name}`, words.join('\n'));
}

export async function shoot(page, folder, name) {
  mkdirSync(folder, { recursive: true });
  await page.screenshot({ path: join(folder, `${name}.png`), animations: 'disabled' });
}

export async function checkNoSidewaysScroll(page, name) {
  const excess = await page.evaluate(() => document.documentElement.scrollWidth - window.innerWidth);
  check(excess <= 0, `${name} fits its width`, `${excess} px too wide`);
}
