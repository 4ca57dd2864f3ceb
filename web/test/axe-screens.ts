/**
 * What axe finds on each screen: no violation, and nothing that it leaves undecided. Every screen is looked at in both
 * themes at one width; at the others a theme takes every second screen, so that a run stays short.
 */
import type { Page } from 'playwright-core';
import { analysed, type Results } from './axe.ts';
import { uuid } from './fixtures.ts';
import { consoleTest } from './support.ts';

/** Path, what is waited for, and what is clicked. An open menu lies over the page, so it is looked at alone. */
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
  ['/maintenance', '.table'],
  ['/define-maintenance', 'form'],
  ['/expected-changes', '.table'],
  ['/define-expected-changes', 'form'],
  [`/expected-changes/${uuid(801)}`, '.table'],
  [`/maintenance/${uuid(702)}`, '.modal', '.page-header .button-primary'],
  ['/service-tokens', '.table'],
  ['/define-service-token', 'form'],
  ['/webhooks', '.table'],
  [`/webhook/${uuid(671)}`, '.table'],
  ['/define-webhook', 'form'],
  ['/notifications', '.table'],
  ['/define-notification-rule', 'form'],
  ['/users', '.table'],
];

type Found = Results['incomplete'][number]['nodes'][number];

/**
 * Reasons of axe that are about places, not colours: a figure alone may be no text; what lies beside a sticky foot, or half
 * below the edge of a panel that scrolls, overlaps another element.
 */
const PLACES: ReadonlySet<string> = new Set([
  'shortTextContent',
  'bgOverlap',
  'elmPartiallyObscured',
  'elmPartiallyObscuring',
]);

/** What axe leaves undecided and the tokens decide: theme.test.ts computes the contrast of each pair. */
function isDecided({ any, html }: Found): boolean {
  // Text of the chart's axes, text-2 on surface: axe reads no colour behind a drawing.
  if (html.startsWith('<tspan')) return true;
  // The figure in the middle of a ring, text on surface: the drawing around it lies over no letter.
  if (html.startsWith('<span class="ring-figure')) return true;
  const data: unknown = any[0]?.data;
  return (
    typeof data === 'object' &&
    data !== null &&
    'messageKey' in data &&
    typeof data.messageKey === 'string' &&
    PLACES.has(data.messageKey)
  );
}

/** What scrolls is shown whole, so that nothing is half hidden. */
const unclip = (page: Page): Promise<void> =>
  page.evaluate(() => {
    for (const area of document.querySelectorAll<HTMLElement>('.item-scroll')) area.style.maxHeight = 'none';
  });

async function faults(page: Page, part: string): Promise<string[]> {
  await unclip(page);
  const { violations, incomplete } = await analysed(page, part);
  const undecided = incomplete.map((one) => ({
    ...one,
    nodes: one.nodes.filter((node) => !isDecided(node)),
  }));
  return [...violations, ...undecided].flatMap(({ id, nodes }) =>
    nodes.map(({ any, html }) => `${id}: ${html.slice(0, 140)} ${any[0]?.message ?? ''}`),
  );
}

const WIDE = 1440;
const NARROW = [768, 390];

/** All screens in one theme. A file for each theme, so that they run beside each other. */
export function testScreens(dark: boolean): void {
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
        t.same(
          await faults(page, ready === '[role=menu]' ? '.menu' : 'html'),
          [],
          `${path} ${click ?? ''} ${width}`,
        );
      }
    }
  });
}
