/**
 * What axe finds on each screen: no violation, and nothing that it leaves undecided. Every screen is looked at in both
 * themes at one width; at the others a theme takes every second screen, so that a run stays short.
 */
import type { Page } from 'playwright-core';
import { analysed } from './axe.ts';
import { uuid } from './fixtures.ts';
import { consoleTest } from './support.ts';

const screens: [path: string, ready: string, open?: string][] = [
  ['/login', 'h1'],
  ['/dashboard', '.table'],
  ['/dashboard', '[role=menu]', '[aria-label="User menu"]'],
  ['/alerts-history', '.chain-link', '.row-button'],
  ['/alerts-history', '.triage-bar', '.choice-box input'],
  ['/alerts-history', '.palette-item', '.find-button'],
  ['/devices', '.table'],
  [`/device/${uuid(101)}`, '.table'],
  [`/device/${uuid(101)}/add-files`, 'form'],
  ['/enrolments', '.table'],
  ['/define-enrolment', 'form', '.add-another'],
  ['/service-tokens', '.table'],
  ['/define-service-token', 'form'],
  ['/users', '.table'],
];

/** Nodes that axe cannot decide by itself, with why they are right; the tokens' contrast is computed in theme.test.ts. */
const DECIDED: Record<string, (html: string) => boolean> = {};

async function faults(page: Page): Promise<string[]> {
  const { violations, incomplete } = await analysed(page);
  const found = [...violations, ...incomplete].flatMap(({ id, nodes }) =>
    nodes
      .filter(({ html }) => DECIDED[id]?.(html) !== true)
      .map(({ html, any }) => ({ id, html, why: any[0]?.message })),
  );
  return found.map(({ id, html, why }) => `${id}: ${html.slice(0, 140)} ${why ?? ''}`);
}

const WIDE = 1440;
const NARROW = [768, 390];

for (const dark of [false, true]) {
  consoleTest(`axe finds nothing, ${dark ? 'dark' : 'light'}`, async ({ open, mock }, t) => {
    // A window takes as much processor time as a screen: the screens of a person who is signed in share one.
    let member: Page | undefined;
    for (const [at, [path, ready, click]] of screens.entries()) {
      const isOurs = at % 2 === Number(dark);
      const signedIn = path !== '/login';
      const page = (signedIn ? member : undefined) ?? (await open(path, { dark, signedIn }));
      await page.setViewportSize({ width: WIDE, height: 900 });
      if (page === member) await page.goto(mock.url + path);
      if (signedIn) member = page;
      if (click !== undefined) await page.locator(click).first().click();
      await page.locator(ready).first().waitFor();
      for (const width of isOurs ? [WIDE, NARROW[(at >> 1) % NARROW.length] ?? WIDE] : [WIDE]) {
        await page.setViewportSize({ width, height: 900 });
        t.same(await faults(page), [], `${path} ${click ?? ''} ${width}`);
      }
    }
  });
}
