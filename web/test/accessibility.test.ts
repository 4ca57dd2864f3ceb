import type { Page } from 'playwright-core';
import { violationsOf } from './axe.ts';
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
  return (await violationsOf(page)).map(
    ({ id, nodes }) => `${id}: ${nodes.map((node) => node.html.slice(0, 140)).join(' | ')}`,
  );
}

for (const dark of [false, true]) {
  consoleTest(
    `no screen has a fault of accessibility, ${dark ? 'dark' : 'light'}`,
    async ({ open, mock }, t) => {
      // A window takes as much processor time as a screen: the screens of a person who is signed in share one.
      let member: Page | undefined;
      for (const [path, ready, click] of screens) {
        const signedIn = path !== '/login';
        const page = (signedIn ? member : undefined) ?? (await open(path, { dark, signedIn }));
        if (page === member) await page.goto(mock.url + path);
        if (signedIn) member = page;
        if (click !== undefined) await page.locator(click).first().click();
        await page.locator(ready).first().waitFor();
        t.same(await violations(page), [], path);
      }
    },
  );
}
