/** How long notices and dialogs stay, by the browser's own clock, which the test moves. */
import type { Page } from 'playwright-core';
import { noticeDuration } from '../src/state/notices.ts';
import { consoleTest, until, type Assertions } from './support.ts';

const CLOSE_MS = 150;
const DETACH_MS = 200;
/** A notice without a duration of its own has this one. */
const DURATION_MS = 2_000;

/** Stops the page's clock; from here on only the test moves it. */
async function stopClock(page: Page): Promise<void> {
  await page.clock.install();
  await page.clock.pauseAt(Date.now() + 60_000);
}

async function invite(page: Page, answer: string) {
  await page.getByRole('button', { name: 'Actions for Mei Tan' }).click();
  await page.getByRole('menuitem', { name: 'Resend invitation' }).click();
  const notice = page.locator('.notices > div').filter({ hasText: answer });
  await notice.waitFor();
  return notice;
}

async function staysFor(page: Page, text: string, ms: number, t: Assertions): Promise<void> {
  const notice = await invite(page, text);
  const isLeaving = async () => (await notice.getAttribute('data-leaving')) !== null;
  await page.clock.runFor(ms - 1);
  t.notOk(await isLeaving(), `${text}: a millisecond before`);
  await page.clock.runFor(1);
  await until(isLeaving, `${text}: it leaves after ${ms} ms`);
  await page.clock.runFor(DETACH_MS - 1);
  t.equal(await notice.count(), 1, 'it is there for its animation');
  await page.clock.runFor(1);
  await until(async () => (await notice.count()) === 0, `gone ${DETACH_MS} ms later`);
}

consoleTest('[S9.8] notices stay as long as reading them takes', async ({ mock, open }, t) => {
  const page = await open('/users');
  await page.getByRole('table', { name: 'Users' }).waitFor();
  await stopClock(page);
  // Request successfully sent! User will get the email with the activation link.
  await staysFor(page, 'User will get the email with the activation link.', 600 + DURATION_MS + 12 * 450, t);
  mock.overrides.set('POST /users/resend/activationlink/*/*', () => ({ status: 400, body: {} }));
  // Error! Resend activation link error
  await staysFor(page, 'Resend activation link error', 600 + DURATION_MS + 3_000 + 5 * 450, t);
  const warning = { tone: 'warning', title: 'Two words', duration: 100 } as const;
  t.equal(noticeDuration(warning), 600 + 100 + 1_500 + 2 * 450);
});

consoleTest('[S9.8] the notice of the devices page leaves like any other', async ({ open }, t) => {
  const page = await open('/add-device');
  await page.getByLabel('Device name').fill('web-07');
  await page.getByLabel('Device path').fill('/srv');
  await page.getByLabel('Device category').selectOption('MISSION_CRITICAL');
  await stopClock(page);
  await page.getByRole('button', { name: 'Add device' }).click();
  const notice = page.locator('.sticky-notice');
  await notice.waitFor();
  const isLeaving = async () => (await notice.getAttribute('data-leaving')) !== null;
  // New device was added successfully! Do you want to add files to web-07 device?
  const stays = 600 + 6_000 + 14 * 450;
  await page.clock.runFor(stays - 1);
  t.notOk(await isLeaving(), 'a millisecond before');
  await page.clock.runFor(1);
  await until(isLeaving, `it leaves after ${stays} ms`);
  await page.clock.runFor(DETACH_MS - 1);
  t.equal(await notice.count(), 1, 'it is there for its animation');
  await page.clock.runFor(1);
  await until(async () => (await notice.count()) === 0, `gone ${DETACH_MS} ms later`);
});

consoleTest('[S9.8] a dialog is there for 150 ms after it was closed', async ({ open }, t) => {
  const page = await open('/users');
  await page.getByRole('table', { name: 'Users' }).waitFor();
  await page.getByRole('button', { name: 'Actions for Mei Tan' }).click();
  await page.getByRole('menuitem', { name: 'Delete' }).click();
  const dialog = page.getByRole('alertdialog');
  await dialog.waitFor();
  await stopClock(page);
  await page.keyboard.press('Escape');
  await until(async () => (await dialog.getAttribute('data-closing')) !== null, 'it closes');
  await page.clock.runFor(CLOSE_MS - 1);
  t.equal(await dialog.count(), 1);
  await page.clock.runFor(1);
  await until(async () => (await dialog.count()) === 0, 'gone');
});
