/** An open console while the servers are upgraded: answers with members that it does not know. */
import type { Page } from 'playwright-core';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { event, uuid } from './fixtures.ts';
import { callsTo, consoleTest, live, until } from './support.ts';

/** Adds a member to every object, at every depth. */
function grown(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(grown);
  if (typeof value !== 'object' || value === null) return value;
  const members = Object.entries(value).map(([name, one]) => [name, grown(one)] as const);
  return Object.fromEntries([...members, ['ofALaterServer', { deep: [1] }]]);
}

/** Replaces the words of these members, at every depth. */
const reworded =
  (words: Readonly<Record<string, string>>) =>
  (value: unknown): unknown => {
    if (Array.isArray(value)) return value.map(reworded(words));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, one]) => [
        name,
        typeof one === 'string' ? (words[name] ?? one) : reworded(words)(one),
      ]),
    );
  };

async function changeAnswers(page: Page, change: (json: unknown) => unknown): Promise<void> {
  await page.route(/\/api\/v1\/(?!stream)/, async (route) => {
    const response = await route.fetch();
    const json: unknown = await response.json().catch(() => null);
    // The page may have given up the call.
    await route.fulfill({ response, json: change(json) }).catch(() => undefined);
  });
}

const device = `/device/${uuid(101)}`;
const screens = [
  '/dashboard',
  '/devices',
  device,
  '/alerts-history',
  '/users',
  '/notifications',
  '/maintenance',
  '/webhooks',
  '/service-tokens',
  '/enrolments',
];

/** What the screen shows; undefined while some of it is being read. */
async function readOn(page: Page): Promise<string | undefined> {
  const text = await page.locator('main').innerText();
  const isWhole = (await page.locator('.skeleton, .spinner').count()) === 0 && !text.includes('Loading');
  return isWhole ? text.replaceAll(/\d+ (second|minute)s? ago|just now/g, '') : undefined;
}

consoleTest('answers with members more are shown as those without', async ({ open }, t) => {
  for (const path of screens) {
    const pages: Page[] = [];
    for (const isLater of [false, true]) {
      const page = await open('/login');
      if (isLater) await changeAnswers(page, grown);
      await page.goto(new URL(path, page.url()).href);
      await live(page);
      await page.locator('h1').first().waitFor();
      pages.push(page);
    }
    const [now, later] = pages as [Page, Page];
    await until(async () => {
      const text = await readOn(now);
      return text !== undefined && text === (await readOn(later));
    }, `${path} reads the same`);
    t.equal(await later.getByText('does not understand').count(), 0, path);
    for (const page of pages) await page.context().close();
  }
});

/** What a console of a later server would know, and this one does not, on the screens that show it. */
const unknownWords = [
  { path: device, words: { contact: 'DREAMING' }, shown: 'Unknown state: Dreaming', hidden: 'In contact' },
  { path: '/alerts-history', words: { type: 'ODD_CASE' }, shown: 'Odd case', hidden: 'Unexpected change' },
  { path: device, words: { category: 'A_PLUS' }, shown: 'A plus', hidden: '' },
  { path: '/users', words: { role: 'WATCHER' }, shown: 'Watcher', hidden: '' },
] as const;

consoleTest(
  'words that the console does not know are named, and look neither good nor bad',
  async ({ open }, t) => {
    for (const { path, words, shown, hidden } of unknownWords) {
      const page = await open('/login');
      await changeAnswers(page, reworded(words));
      await page.goto(new URL(path, page.url()).href);
      const first = page.locator('main').getByText(shown).first();
      await first.waitFor();
      const colours = '.tone-success, .tone-danger, .tone-warning';
      t.equal(await page.locator(colours).filter({ hasText: shown }).count(), 0, `${path}: ${shown}`);
      if (hidden !== '')
        t.equal(await page.locator('main table').getByText(hidden, { exact: true }).count(), 0);
      t.equal(await page.getByText('does not understand').count(), 0, path);
      await page.context().close();
    }
  },
);

consoleTest(
  'frames of a kind or with members that the console does not know do not break the feed',
  async ({ mock, open }, t) => {
    const page = await open('/dashboard');
    const table = page.getByRole('table', { name: 'Events' });
    await table.waitFor();
    await live(page);
    const { orgId } = mock.session;
    const readsBefore = callsTo(mock, 'GET', '/dashboard').length;
    mock.send('event', {
      ...event(920, 'MODIFY_FILE', Date.now(), { fileName: 'of a later server' }),
      orgId,
      rev: 1,
      ofALaterServer: { deep: [1] },
    });
    await table.getByText('of a later server').waitFor();
    t.equal(
      callsTo(mock, 'GET', '/dashboard').length,
      readsBefore,
      'the frame itself is shown, nothing is read again',
    );
    mock.send('weather', { orgId, rev: 1, rain: true });
    await until(
      async () => callsTo(mock, 'GET', '/dashboard').length > readsBefore,
      'a kind that is not known has what is shown read again',
    );
    const readsAfter = callsTo(mock, 'GET', '/dashboard').length;
    mock.send('weather', { orgId, rev: 2, rain: false });
    mock.send('weather', []);
    mock.send('event', {
      ...event(921, 'MODIFY_FILE', Date.now(), { fileName: 'after what is unknown' }),
      orgId,
      rev: 1,
    });
    await table.getByText('after what is unknown').waitFor();
    await live(page);
    t.equal(callsTo(mock, 'GET', '/dashboard').length, readsAfter, 'at most once in half a minute');
    t.equal(await page.getByText('weather').count(), 0);
    t.equal(await page.getByText('does not understand').count(), 0);
  },
);

consoleTest('a form of a file keeps words that the console does not know', async ({ mock, open }, t) => {
  const [file] = mock.world.devices[0]?.files ?? [];
  if (file === undefined) throw new Error('a file');
  Object.assign(file, { type: 'DIRECTORY', monitoringFrequency: 'ON_CLOSE', interval: 7 });
  const page = await open(`${device}/edit-file/${file.id}`);
  const type = page.getByLabel('File type');
  t.equal(await type.inputValue(), 'DIRECTORY');
  t.equal(await type.locator('option:checked').innerText(), 'Directory');
  const frequency = page.getByLabel('Monitoring frequency');
  t.equal(await frequency.locator('option:checked').innerText(), 'On close');
  // It can be chosen again.
  await type.selectOption('TEXT');
  await type.selectOption('DIRECTORY');
  await page.getByLabel('File name').fill('renamed');
  const sent = page.waitForRequest((request) => request.method() === 'PUT');
  await page.getByRole('button', { name: 'Save changes' }).click();
  const body = (await sent).postDataJSON() as { files: object[] };
  matchWhole(t, body.files[0], {
    id: file.id,
    name: 'renamed',
    type: 'DIRECTORY',
    monitoringFrequency: 'ON_CLOSE',
    interval: 7,
  });
});
