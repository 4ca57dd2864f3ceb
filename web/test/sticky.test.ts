import { uuid } from './fixtures.ts';
import { consoleTest, resize, until } from './support.ts';

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

consoleTest(
  'the heads of all columns of the devices stay in sight where the window has room for them',
  async ({ mock, open }, t) => {
    const [device] = mock.world.devices;
    if (device === undefined) throw new Error('the world has a device');
    for (let n = 0; n < 20; n += 1)
      mock.world.devices.push({ ...device, id: uuid(5_000 + n), name: `shelf-${n}` });
    const page = await open('/devices?rows=25', { width: 1366, height: 768 });
    await page.getByRole('button', { name: 'View', exact: true }).click();
    for (const box of await page.locator('.table-view').getByRole('checkbox').all()) await box.check();
    await page.keyboard.press('Escape');
    const table = page.getByRole('table', { name: 'Devices' });
    const head = table.getByRole('columnheader', { name: 'Files not judged' });
    await table.locator('tbody tr').nth(18).scrollIntoViewIfNeeded();
    const isBelowToolbar = async () => Math.round((await head.boundingBox())?.y ?? 0) === 8 * ROOT_PX;
    await until(isBelowToolbar, 'the head stands below the toolbar');
    await resize(page, 800, 768);
    const scrolls = () => table.evaluate(({ scrollWidth, clientWidth }) => scrollWidth > clientWidth);
    await until(scrolls, 'in a narrow window the table scrolls');
    const beyond = await page.evaluate(
      () => document.documentElement.scrollWidth - document.documentElement.clientWidth,
    );
    t.ok(beyond <= 0, 'and not the page');
    await resize(page, 1366, 768);
    await until(async () => !(await scrolls()), 'there is room again');
    await table.locator('tbody tr').nth(18).scrollIntoViewIfNeeded();
    await until(isBelowToolbar, 'the head stands below the toolbar again');
  },
);
