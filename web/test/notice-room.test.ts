/** A notice above a list: no click that is meant for one row lands on another. */
import type { Page } from 'playwright-core';
import { consoleTest, until } from './support.ts';

async function addDevice(page: Page): Promise<void> {
  await page.getByLabel('Device name').fill('web-07');
  await page.getByLabel('Device path').fill('/srv');
  await page.getByLabel('Device category').selectOption('MISSION_CRITICAL');
  await page.getByRole('button', { name: 'Add device' }).click();
  await page.locator('.sticky-notice').waitFor();
  await rowOf(page).waitFor();
}

const rowOf = (page: Page) => page.getByRole('table', { name: 'Devices' }).locator('tbody tr').nth(1);
const topOf = async (page: Page): Promise<number> => (await rowOf(page).boundingBox())?.y ?? -1;

consoleTest('the rows move with the click that closes a notice, and not later', async ({ open }, t) => {
  const page = await open('/add-device');
  await page.clock.install();
  await addDevice(page);
  const before = await topOf(page);
  await page.clock.pauseAt((await page.evaluate(() => Date.now())) + 100);
  await page.getByRole('button', { name: 'Close notice' }).click();
  const closed = await topOf(page);
  t.ok(closed < before - 40, 'the room goes at once');
  await page.clock.runFor(1_000);
  await until(async () => (await page.locator('.sticky-notice').count()) === 0, 'the notice is gone');
  t.equal(await topOf(page), closed);
  t.equal(await page.locator('.notice-room').count(), 0);
});

consoleTest('no row moves when a notice goes by itself', async ({ open }, t) => {
  for (const width of [1280, 375]) {
    const page = await open('/add-device', { width });
    await page.clock.install();
    await addDevice(page);
    const before = await topOf(page);
    await page.mouse.move(5, 5);
    await page.clock.runFor(30_000);
    await until(async () => (await page.locator('.sticky-notice').count()) === 0, 'the notice is gone');
    t.equal(await topOf(page), before, `${width} wide`);
    await page.context().close();
  }
});

consoleTest('the focus goes on to the list when a notice is closed by key', async ({ open }, t) => {
  const page = await open('/add-device');
  await addDevice(page);
  await page.getByRole('button', { name: 'Close notice' }).focus();
  await page.keyboard.press('Enter');
  await until(async () => (await page.locator('.sticky-notice').count()) === 0, 'the notice is gone');
  t.equal(await page.evaluate(() => document.activeElement?.getAttribute('aria-label')), 'Devices');
});
