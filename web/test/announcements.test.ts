/** Notices of new alerts: for new ones, and never over what a person works with. */
import type { AlertStatus } from '@sentinel-node/contracts';
import type { Locator } from 'playwright-core';
import { event } from './fixtures.ts';
import { manyAlerts } from './many-alerts.ts';
import type { Mock } from './mock-api.ts';
import { consoleTest, live, until } from './support.ts';

function tell(mock: Mock, n: number, alertId: string, status: AlertStatus = 'ACTIVE'): void {
  const of = {
    alertId,
    fileName: `file ${n}`,
    deviceName: 'a device',
    deviceId: mock.world.devices[0]?.id ?? null,
  };
  const told = event(n, 'ALERT', Date.now(), {
    ...of,
    note: '{"type":"HASH_BREACH"}',
    alert: { type: 'HASH_BREACH', status },
  });
  mock.send('event', { ...told, orgId: mock.world.orgId, rev: 1 });
}

/** Whether the middle of a button is covered by nothing. */
const isFree = (button: Locator): Promise<boolean> =>
  button.evaluate((element) => {
    const { left, top, width, height } = element.getBoundingClientRect();
    return element.contains(document.elementFromPoint(left + width / 2, top + height / 2));
  });

consoleTest(
  'an old alert that was shared, one that is handled, and the alert that is open, are not announced',
  async ({ mock, open }, t) => {
    const [old] = mock.world.alerts;
    if (old === undefined) throw new Error('no alert');
    const page = await open('/alerts-history');
    await live(page);
    const shared = { emailAddress: 'auditor@example.org', timestamp: new Date().toISOString() };
    mock.send('alert', { ...old, shared: true, sharedData: [shared], orgId: mock.world.orgId, rev: 2 });
    await page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();
    const panel = page.getByRole('dialog', { name: 'Hash breach' });
    await panel.getByRole('button', { name: 'Dismiss' }).waitFor();
    tell(mock, 1, old.id);
    // As a resumed stream tells of one that somebody has handled meanwhile.
    tell(mock, 3, 'HANDLED', 'RESOLVED');
    tell(mock, 2, 'ANOTHER');
    const notices = page.locator('.notices .notice');
    await notices.getByText('file 2 on a device').waitFor();
    t.equal(await notices.count(), 1, 'the other one alone');
    const notice = await notices.boundingBox();
    const box = await panel.boundingBox();
    t.ok((notice?.x ?? 0) + (notice?.width ?? 0) <= (box?.x ?? 0), 'beside the panel');
    await notices.getByRole('button', { name: 'Close notice' }).click();
    await until(async () => (await notices.count()) === 0, 'it can be closed');
    await panel.getByRole('button', { name: 'Dismiss' }).waitFor();
  },
);

consoleTest('a notice never lies over the actions for chosen alerts', async ({ mock, open }, t) => {
  manyAlerts(mock, 30);
  for (const width of [1440, 1024, 390]) {
    const page = await open('/alerts-history?rows=50', { width });
    await live(page);
    await page.getByRole('checkbox').nth(1).click();
    const bar = page.getByRole('region', { name: 'Selected alerts' });
    await bar.getByText('1 alert selected').waitFor();
    // Notices pass by themselves: each look has new ones.
    let told = 0;
    const tellThree = (): void => [1, 2, 3].forEach(() => tell(mock, (told += 1), `OTHER-${told}`));
    for (const place of ['top', 'end'] as const) {
      tellThree();
      await page.locator('.notices .notice').first().waitFor();
      await page.evaluate((to) => window.scrollTo(0, to === 'top' ? 0 : document.body.scrollHeight), place);
      for (const name of ['Assign', 'Reset', 'Dismiss', 'Clear'])
        t.ok(
          await isFree(bar.getByRole('button', { name, exact: true })),
          `${name} at ${width}, ${place} of the list`,
        );
    }
    await bar.getByRole('button', { name: 'Clear' }).click();
    tellThree();
    await page.locator('body > .notices .notice').first().waitFor();
    await page.close();
  }
});

consoleTest('a notice never lies over the button of a form of files', async ({ mock, open }, t) => {
  const [device] = mock.world.devices;
  for (const width of [1440, 390]) {
    const page = await open(`/device/${device!.id}/add-files`, { width });
    await live(page);
    const button = page.getByRole('button', { name: 'Add files', exact: true });
    await button.waitFor();
    for (const n of [1, 2, 3]) tell(mock, n, `OTHER-${n}`);
    await page.locator('.notices .notice').first().waitFor();
    t.ok(await isFree(button), `at ${width}`);
    await page.getByRole('button', { name: 'Back', exact: true }).click();
    await page.locator('body > .notices .notice').first().waitFor();
    await page.close();
  }
});
