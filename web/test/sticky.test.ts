import { consoleTest, until } from './support.ts';

const ROOT_PX = 16;

consoleTest(
  '[S2.20] [S9.7] the head of the events stands below the summary, not under it',
  async ({ open }, t) => {
    const page = await open('/dashboard', { height: 600 });
    const table = page.getByRole('table', { name: 'Events', exact: true });
    await table.waitFor();
    await table
      .locator('tbody tr')
      .nth(6)
      .evaluate((row) => row.scrollIntoView());
    const bar = page.getByRole('region', { name: 'Summary' });
    await bar.waitFor();
    const { y, height } = (await bar.boundingBox()) ?? { y: 0, height: 0 };
    const head = await table.getByRole('columnheader').first().boundingBox();
    t.equal(head?.y, y + height);
  },
);

consoleTest('[S9.7] a notice pushes the heads of the devices from 8 to 13 rem', async ({ open }, t) => {
  const page = await open('/add-device');
  await page.getByLabel('Device name').fill('web-07');
  await page.getByLabel('Device path').fill('/srv');
  await page.getByLabel('Device category').selectOption('MISSION_CRITICAL');
  await page.getByRole('button', { name: 'Add device' }).click();
  await page.getByText('New device was added successfully!').waitFor();
  const head = page.getByRole('table', { name: 'Devices' }).getByRole('columnheader').first();
  await head.waitFor();
  const top = () =>
    head.evaluate((element) => {
      const sticky = [element, element.parentElement, element.parentElement?.parentElement].find(
        (one) => one instanceof HTMLElement && getComputedStyle(one).position === 'sticky',
      );
      return sticky instanceof HTMLElement ? getComputedStyle(sticky).top : 'not sticky';
    });
  t.equal(await top(), `${13 * ROOT_PX}px`);
  await page.getByRole('button', { name: 'Close notice' }).click();
  await until(async () => (await top()) === `${8 * ROOT_PX}px`, 'back at 8 rem');
});
