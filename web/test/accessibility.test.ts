import { AxeBuilder } from '@axe-core/playwright';
import type { Page } from 'playwright-core';
import { uuid } from './fixtures.ts';
import { consoleTest } from './support.ts';

const screens: [path: string, ready: string, open?: string][] = [
  ['/login', 'h1'],
  ['/dashboard', '.table'],
  ['/alerts-history', '.chain-link', '.row-button'],
  ['/alerts-history', '.triage-bar', '.choice-box input'],
  ['/devices', '.table'],
  [`/device/${uuid(101)}`, '.table'],
  [`/device/${uuid(101)}/add-files`, 'form'],
  ['/enrolments', '.table'],
  ['/define-enrolment', 'form', '.add-another'],
  ['/users', '.table'],
];

async function violations(page: Page): Promise<string[]> {
  const { violations: found } = await new AxeBuilder({ page }).analyze();
  return found.map(({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 140)).join(' | ')}`);
}

for (const dark of [false, true]) {
  consoleTest(`no screen has a fault of accessibility, ${dark ? 'dark' : 'light'}`, async ({ open }, t) => {
    for (const [path, ready, click] of screens) {
      const page = await open(path, { dark, signedIn: path !== '/login' });
      if (click !== undefined) await page.locator(click).first().click();
      await page.locator(ready).first().waitFor();
      t.same(await violations(page), [], path);
    }
  });
}
