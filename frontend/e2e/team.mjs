// Somebody is invited by a link, and comes in.
import assert from 'node:assert/strict';
import { apiOf, watchedContext } from './browser.mjs';
import { step } from './report.mjs';

const NAME = 'Grace <b>Hopper</b>';
const EMAIL = `grace-${Date.now()}@example.com`;

/** The new editor's page and api. */
export async function inviteSomeone(browser, page, { url }, api, faults) {
  const link = await step('an admin makes an invitation link for an editor', async () => {
    await page.goto(`${url}/settings/members`);
    await page
      .getByRole('button', { name: /^Invite/ })
      .first()
      .click();
    const dialog = page.getByRole('dialog');
    await dialog.getByRole('button', { name: 'Make the link' }).click();
    const shown = await dialog.locator('.secret').innerText();
    await dialog.getByRole('button', { name: 'Done' }).click();
    return shown.trim();
  });
  const context = await watchedContext(browser, { faults });
  const newcomer = await context.newPage();
  newcomer.setDefaultTimeout(20_000);
  await step('who opens it makes an account and is in the team', async () => {
    await newcomer.goto(link);
    await newcomer.getByRole('textbox', { name: 'Your name' }).fill(NAME);
    await newcomer.getByRole('textbox', { name: 'E-mail' }).fill(EMAIL);
    await newcomer.locator('input[type="password"]').fill('a password of some length');
    // What is asked before signing in is refused, and says so on the console.
    faults.length = 0;
    await newcomer.getByRole('button', { name: 'Join', exact: true }).click();
    await newcomer.getByRole('heading', { name: 'Home', exact: true, level: 1 }).waitFor();
    const { items } = await api.get('/members');
    assert.equal(items.find(({ user }) => user.email === EMAIL)?.role, 'editor');
  });
  await step('the link works once', async () => {
    const other = await browser.newContext();
    const late = await other.newPage();
    await late.goto(link);
    await late.getByText(/cannot be used/).waitFor();
    await other.close();
  });
  return { page: newcomer, url, api: apiOf(context, url), context };
}
