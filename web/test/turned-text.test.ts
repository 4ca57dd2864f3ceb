/** Names and paths with signs that turn the order of what follows: a screen must not show another name than the file has. */
import type { Page } from 'playwright-core';
import { consoleTest, until } from './support.ts';

/** A person would read `web-exe.png`. */
const TURNED = 'web-\u202egnp.exe';
const SEEN = String.raw`web-\u202egnp.exe`;
const TURNS = /[\u202a-\u202e\u2066-\u2069]/;

/** Returns the texts of a page, and its title, that turn what follows. */
const turnedOf = (page: Page): Promise<string[]> =>
  page.evaluate((pattern) => {
    const turns = new RegExp(pattern);
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    const found = turns.test(document.title) ? [`title: ${document.title}`] : [];
    while (texts.nextNode() !== null) {
      const { parentElement, textContent } = texts.currentNode;
      if (parentElement?.closest('script, textarea') === null && turns.test(textContent ?? ''))
        found.push(`${parentElement.className || parentElement.tagName}: ${textContent}`);
    }
    return found;
  }, TURNS.source);

consoleTest('no name or path turns the text after it', async ({ mock, open }, t) => {
  const [device] = mock.world.devices;
  const [file] = device?.files ?? [];
  const [alert] = mock.world.alerts;
  if (device === undefined || file === undefined || alert === undefined)
    throw new Error('a device with a file');
  Object.assign(device, { name: TURNED, description: TURNED, path: `/srv/${TURNED}`, enabled: false });
  Object.assign(device, { disabledNote: TURNED, emailAddress: 'ada@example.org' });
  Object.assign(file, { name: TURNED, path: `logs/${TURNED}`, enabled: false });
  for (const one of mock.world.alerts) Object.assign(one, { fileName: TURNED, deviceName: TURNED });
  for (const event of mock.world.events) Object.assign(event, { fileName: TURNED, deviceName: TURNED });
  for (const user of mock.world.users) Object.assign(user, { name: TURNED });
  const paths = {
    '/dashboard': `Monitoring of the ${SEEN} device is disabled`,
    '/devices': SEEN,
    [`/device/${device.id}`]: `logs/${SEEN}`,
    [`/device/${device.id}?file=${file.id}`]: `logs/${SEEN}`,
    [`/device/${device.id}/file/${file.id}`]: `logs/${SEEN}`,
    '/alerts-history': SEEN,
    [`/alerts-history?alert=${alert.id}&in=${alert.deviceId}`]: SEEN,
    '/users': SEEN,
    '/maintenance': 'Maintenance',
  };
  for (const [path, text] of Object.entries(paths)) {
    const page = await open(path);
    await page.getByText(text).first().waitFor();
    await until(async () => (await page.locator('.skeleton').count()) === 0, 'all is read');
    t.strictSame(await turnedOf(page), [], path);
    await page.context().close();
  }
  const shown = await open(`/device/${device.id}`);
  const download = shown.waitForEvent('download');
  await shown.getByRole('button', { name: 'Configuration' }).click();
  t.equal((await download).suggestedFilename(), 'web-_gnp.exe_configuration.json');
  const page = await open('/devices');
  await page.getByRole('switch').first().click();
  await page.getByRole('alertdialog', { name: `monitoring ${SEEN} device?` }).waitFor();
  t.strictSame(await turnedOf(page), [], 'the question');
});
