/** Names and paths with signs that turn the order of what follows: a screen must not show another name than the file has. */
import type { Page } from 'playwright-core';
import { consoleTest, until } from './support.ts';

/** A person would read `web-exe.png`. */
const TURNED = 'web-\u202egnp.exe';
const SEEN = String.raw`web-\u202egnp.exe`;
const TURNS = /[\u202a-\u202e\u2066-\u2069]/;

/** Names that a person sees as a tool tip, hears, or reads on paper. */
const ATTRIBUTES = ['aria-label', 'title', 'placeholder', 'data-print', 'alt'];

/** Returns the texts of a page, its title and the names of its parts that turn what follows. */
const turnedOf = (page: Page): Promise<string[]> =>
  page.evaluate(
    ([pattern, names]) => {
      const turns = new RegExp(pattern);
      const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
      const found = turns.test(document.title) ? [`title: ${document.title}`] : [];
      while (texts.nextNode() !== null) {
        const { parentElement, textContent } = texts.currentNode;
        if (parentElement?.closest('script, textarea') === null && turns.test(textContent ?? ''))
          found.push(`${parentElement.className || parentElement.tagName}: ${textContent}`);
      }
      for (const element of document.querySelectorAll('*'))
        for (const name of names) {
          const text = element.getAttribute(name);
          if (text !== null && turns.test(text)) found.push(`${name}: ${text}`);
        }
      return found;
    },
    [TURNS.source, ATTRIBUTES] as const,
  );

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
  const { world } = mock;
  const [webhook, token] = [world.webhooks[0], world.serviceTokens[0]];
  Object.assign(token ?? {}, { limits: { deviceIds: [device.id], labels: [] } });
  const listed = [webhook, token, world.enrolments[0], world.notificationRules[0]];
  for (const one of listed) Object.assign(one ?? {}, { name: TURNED });
  for (const one of [...world.windows, ...world.expected]) Object.assign(one, { reason: TURNED });
  for (const one of world.deadLetters) Object.assign(one, { text: `Deleted: ${TURNED}` });
  for (const one of world.deliveries) Object.assign(one, { answer: TURNED });
  world.savedViews.push({ name: TURNED, query: '' });
  const paths = {
    '/dashboard': `Monitoring of the ${SEEN} device is disabled`,
    '/devices': SEEN,
    [`/device/${device.id}`]: `logs/${SEEN}`,
    [`/device/${device.id}?file=${file.id}`]: `logs/${SEEN}`,
    [`/device/${device.id}/file/${file.id}`]: `logs/${SEEN}`,
    '/alerts-history': SEEN,
    [`/alerts-history?alert=${alert.id}&in=${alert.deviceId}`]: SEEN,
    '/users': SEEN,
    '/maintenance': SEEN,
    [`/alerts-history?device=${device.id}`]: SEEN,
    [`/device/${device.id}/edit-file/${file.id}`]: SEEN,
    '/enrolments': SEEN,
    '/expected-changes': SEEN,
    '/service-tokens': SEEN,
    '/webhooks': SEEN,
    [`/webhook/${webhook?.id}`]: `Deleted: ${SEEN}`,
    '/notifications': SEEN,
    '/define-notification-rule': SEEN,
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

consoleTest('a name of which nothing is seen can be seen and chosen', async ({ mock, open }, t) => {
  const [device] = mock.world.devices;
  const [file] = device?.files ?? [];
  Object.assign(device ?? {}, { name: '\u200b' });
  Object.assign(file ?? {}, { name: '\u2800' });
  const page = await open('/devices');
  await page.getByRole('link', { name: String.raw`\u200b`, exact: true }).click();
  await page.getByRole('heading', { name: String.raw`\u200b`, exact: true }).waitFor();
  await page
    .getByRole('button', { name: String.raw`\u2800`, exact: true })
    .or(page.getByRole('link', { name: String.raw`\u2800`, exact: true }))
    .click();
  t.equal(await page.getByRole('dialog', { name: String.raw`\u2800` }).count(), 1);
});
