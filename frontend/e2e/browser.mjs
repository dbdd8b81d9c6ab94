// One Chromium, watched: whatever it complains about is kept for the end.
import { chromium } from 'playwright-core';

const FLAGS = [
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

export async function startBrowser(executablePath = process.env.LOADSTONE_CHROMIUM ?? '/usr/bin/chromium') {
  return chromium.launch({ executablePath, args: FLAGS });
}

/** A signed-out context whose pages report faults into `faults`. */
export async function watchedContext(
  browser,
  { faults, colorScheme = 'light', width = 1280, height = 800, storageState },
) {
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme,
    storageState,
    acceptDownloads: true,
    locale: 'en-GB',
  });
  await context.addInitScript(() => {
    document.addEventListener('securitypolicyviolation', (event) => {
      console.error(`CSP violation: ${event.violatedDirective} ${event.blockedURI}`);
    });
  });
  context.on('page', (page) => {
    page.on('console', (message) => {
      if (message.type() === 'error') faults.push(`console: ${message.text().slice(0, 300)} (${page.url()})`);
    });
    page.on('pageerror', (error) =>
      faults.push(`page error: ${error.message.slice(0, 300)} (${page.url()})`),
    );
  });
  return context;
}

/** Calls the api as the person of this context does, by its cookie. */
export function apiOf(context, url) {
  const call = async (method, path, data) => {
    const answer = await context.request.fetch(`${url}/api/v1${path}`, {
      method,
      data,
      headers: { Origin: url },
    });
    const body = await answer.text();
    if (!answer.ok()) throw new Error(`${method} ${path}: ${answer.status()} ${body.slice(0, 300)}`);
    return body ? JSON.parse(body) : null;
  };
  return {
    get: (path) => call('GET', path),
    post: (path, data) => call('POST', path, data),
    delete: (path) => call('DELETE', path),
  };
}

/** The paths of a chart's lines: one text for each line, which may be drawn in pieces around a void point. */
export async function curvesIn(chart) {
  const pieces = await chart
    .locator('.recharts-line')
    .evaluateAll((lines) =>
      lines.map((line) => [
        line.getAttribute('class'),
        line.querySelector('.recharts-line-curve')?.getAttribute('d') ?? '',
      ]),
    );
  const curves = new Map();
  for (const [name, path] of pieces) curves.set(name, (curves.get(name) ?? '') + path);
  return [...curves.values()].filter((path) => path !== '');
}
