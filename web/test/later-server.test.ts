/** An open console while the servers are upgraded: answers with members that it does not know. */
import type { Page } from 'playwright-core';
import { uuid } from './fixtures.ts';
import { consoleTest, live, until } from './support.ts';

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
