/** What an auditor takes away on paper: the thing itself with whole hashes, and nothing that can be pressed or filled in. */
import type { Page } from 'playwright-core';
import { consoleTest } from './support.ts';

async function paper(page: Page): Promise<void> {
  await page.emulateMedia({ media: 'print' });
  await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
}

consoleTest('a printed alert says what it is, with its chain and whole hashes', async ({ mock, open }, t) => {
  const page = await open('/alerts-history');
  await page.locator('.row-button').first().click();
  await page.locator('.chain-link').first().waitFor();
  await paper(page);
  const panel = page.locator('.side-modal');
  for (const role of ['button', 'textbox', 'combobox'] as const)
    t.equal(await panel.getByRole(role).filter({ visible: true }).count(), 0, `no ${role}`);
  t.equal(
    await page.locator('main > *:not(.side-modal) .table').filter({ visible: true }).count(),
    0,
    'no list',
  );
  const [alert] = mock.world.alerts;
  const text = await panel.innerText();
  t.match(text, alert?.id ?? 'an alert', 'its id');
  t.match(text, /Link chain/);
  const [head] = await page.locator('.print-head').allInnerTexts();
  t.match(head, /What\s+Hash breach[^]*Organization\s[^]*Printed\s[^]*UTC[^]*Address\s+http/);
  const hashes = await page
    .locator('.chain-link [data-print]')
    .evaluateAll((all) => all.map((one) => getComputedStyle(one, '::after').content));
  t.ok(hashes.length > 0 && hashes.every((content) => /^"[0-9a-f]{64}"$/.test(content)), 'hashes in full');
});
