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

async function growAnswers(page: Page): Promise<void> {
  await page.route(/\/api\/v1\/(?!stream)/, async (route) => {
    const response = await route.fetch();
    const json: unknown = await response.json().catch(() => null);
    // The page may have given up the call.
    await route.fulfill({ response, json: grown(json) }).catch(() => undefined);
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

consoleTest('answers with members more are shown as those without', async ({ open }, t) => {
  for (const path of screens) {
    const texts: string[] = [];
    for (const isLater of [false, true]) {
      const page = await open('/login');
      if (isLater) await growAnswers(page);
      await page.goto(new URL(path, page.url()).href);
      await live(page);
      await page.locator('h1').first().waitFor();
      await until(async () => (await page.locator('.skeleton, .spinner').count()) === 0, `${path} is loaded`);
      t.equal(await page.getByText('does not understand').count(), 0, path);
      texts.push(
        (await page.locator('main').innerText()).replaceAll(/\d+ (second|minute)s? ago|just now/g, ''),
      );
      await page.context().close();
    }
    t.equal(texts[1], texts[0], path);
  }
});
