import type { Page } from 'playwright-core';
import { consoleTest, pathOf, until } from './support.ts';

const notification = async (page: Page, name: string): Promise<void> => {
  await page.getByRole('list', { name: 'Notifications' }).getByRole('link', { name }).click();
};

consoleTest('[S2.23] where the dashboard leads', async ({ mock, open }, t) => {
  const page = await open('/dashboard');
  const back = async (): Promise<void> => {
    await page.getByRole('navigation', { name: 'Main' }).getByRole('link', { name: 'Dashboard' }).click();
    await until(() => pathOf(page) === '/dashboard', 'back');
  };
  const arrive = (path: string): Promise<void> => until(() => pathOf(page) === path, path);
  const disabled = mock.world.devices.find(({ name }) => name === 'build-runner-7');
  const ofFile = mock.world.devices.find(({ files }) => files.some(({ name }) => name === 'pg_hba.conf'));

  await notification(page, 'Stripe ID is not set');
  await arrive('/users');
  await back();
  await notification(page, 'Monitoring of the build-runner-7 device is disabled');
  await arrive(`/device/${disabled?.id}`);
  t.equal(await page.getByRole('dialog').count(), 0, 'no file is opened');
  await back();
  await notification(page, 'Lost connection with the file pg_hba.conf');
  await arrive(`/device/${ofFile?.id}`);
  await page.getByRole('dialog', { name: 'pg_hba.conf' }).waitFor();
  await page.keyboard.press('Escape');
  await back();
  await page.getByRole('list', { name: 'Latest active alerts' }).getByRole('link').first().click();
  await arrive('/alerts-history');
  const [newest] = mock.world.alerts;
  await page
    .getByRole('dialog', { name: 'Hash breach' })
    .getByText(newest?.id ?? '', { exact: true })
    .waitFor();
  await page.keyboard.press('Escape');
  await back();
  await page.getByRole('link', { name: 'Add device' }).first().click();
  await arrive('/add-device');
});
