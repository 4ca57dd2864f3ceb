/**
 * What axe finds on every screen and state: no violation, and nothing undecided. The light theme is analysed with all rules at one width, and
 * for half of the screens at a narrow one; the dark theme for its colours, as all else is the same.
 */
import type { Page } from 'playwright-core';
import { analysed, type Analysis, type Results } from '@sentinel-node/test-kit/axe';
import type { Mock } from './mock-api.ts';
import { screens, type Screen } from './screens.ts';
import { showScreen } from './show-screen.ts';
import { consoleTest } from './support.ts';
import { faultOfText } from './text-ground.ts';

/** Paper has no names, no focus and one theme: print.test.ts reads what is on it. */
const analysable = screens.filter(({ print, again }) => print !== true && again !== true);

const CONTRAST = 'color-contrast';
const WIDE = 1440;
const TABLET = 768;
const PHONE = 390;
const HEIGHT = 900;
/** Number of files that share the screens. */
const PARTS = 3;

/**
 * Reasons of axe that are about places. It takes no notice of where a dialog or a scrolled panel ends, reads no colour behind a drawing, and
 * trusts no result about a single character or an empty field. For such a text its contrast is computed here.
 */
const PLACES: ReadonlySet<unknown> = new Set([
  'bgOverlap',
  'emptyValue',
  'elmPartiallyObscured',
  'elmPartiallyObscuring',
  'imgNode',
  'shortTextContent',
]);

/** Analyses every third screen, from `part` on. The files of the parts run beside each other. */
export function testScreens(part: 0 | 1 | 2): void {
  const mine = analysable.filter((_, at) => at % PARTS === part);
  consoleTest(`axe finds nothing on ${mine.length} of ${analysable.length} screens`, async (stage, t) => {
    // A window takes as much processor time as a screen: screens share one, and one for those who are not signed in.
    const pages = new Map<boolean, Page>();
    for (const [at, screen] of mine.entries()) {
      const { signedIn = true, name, narrow = false } = screen;
      const page = pages.get(signedIn) ?? (await stage.open(STILL_PAGE, { signedIn }));
      pages.set(signedIn, page);
      const width = narrow ? PHONE : WIDE;
      await reach(page, stage.mock, screen, width);
      t.same(await faults(page), [], `${name}, ${width}`);
      await change(page, { dark: true });
      t.same(await faults(page, { rules: [CONTRAST], again: true }), [], `${name}, dark`);
      if (!narrow && at % 2 === 0) {
        const other = at % 4 === 0 ? PHONE : TABLET;
        await change(page, { width: other });
        t.same(await faults(page, { again: true }), [], `${name}, ${other}`);
      }
      t.ok(await isThere(page, screen), `${name} was there to the end`);
    }
  });
}

/** A document of the console's origin without a program that could write. */
const STILL_PAGE = '/console-config.json';

/** Shows a screen to a browser and a server that know nothing of the last one. */
async function reach(page: Page, mock: Mock, screen: Screen, width: number): Promise<void> {
  await page.goto(mock.url + STILL_PAGE);
  await page.evaluate(() => [localStorage, sessionStorage].forEach((store) => store.clear()));
  await page.context().clearCookies();
  mock.reset();
  screen.world?.(mock);
  await change(page, { width });
  await page.goto(mock.url + screen.path(mock));
  try {
    await showScreen(page, mock, screen);
    await holdNotice(page);
    await still(page);
  } catch (cause) {
    throw new Error(`${screen.name}: ${String(cause)}`, { cause });
  }
}

/** A notice leaves after seconds, but not while it has the focus: on a slow machine axe would find it half gone, or not at all. */
const holdNotice = (page: Page): Promise<void> =>
  page.evaluate(() => document.querySelector<HTMLElement>('.notices button')?.focus());

const isThere = async (page: Page, { shown, ready = 'h1' }: Screen): Promise<boolean> =>
  (await page.locator(shown ?? ready).count()) > 0;

async function change(page: Page, { width = WIDE, dark = false }): Promise<void> {
  await page.emulateMedia({ colorScheme: dark ? 'dark' : 'light' });
  await page.setViewportSize({ width, height: HEIGHT });
  await still(page);
}

/** Theme and width are those of the next frame, and nothing fades in any more. */
const still = (page: Page): Promise<void> =>
  page.evaluate(async () => {
    const isMoving = ({ timeline, playState }: Animation): boolean =>
      timeline === document.timeline && playState === 'running';
    do {
      for (let frame = 0; frame < 2; frame += 1)
        await new Promise((resolve) => requestAnimationFrame(resolve));
    } while (document.getAnimations().some(isMoving));
  });

type Found = Results['incomplete'][number]['nodes'][number];

async function faults(page: Page, analysis: Analysis = {}): Promise<string[]> {
  const { violations, incomplete } = await analysed(page, analysis);
  const found: string[] = [];
  for (const { id, nodes } of [...violations, ...incomplete])
    for (const node of nodes) {
      if (isWordOfSwitch(id, node)) continue;
      const fault = isAboutPlaces(id, node)
        ? await faultOfText(page, String(node.target[0]))
        : messageOf(node);
      if (fault !== null) found.push(`${id}: ${node.html.slice(0, 140)} ${fault}`);
    }
  return found;
}

const isAboutPlaces = (id: string, node: Found): boolean => id === CONTRAST && PLACES.has(reasonOf(node));

/** The word on a switch is its state, which `aria-checked` tells, and no part of its name. */
const isWordOfSwitch = (id: string, node: Found): boolean =>
  id === 'label-content-name-mismatch' &&
  reasonOf(node) === 'valueText' &&
  node.html.includes('role="switch"');

function reasonOf({ any }: Found): unknown {
  const data: unknown = any[0]?.data;
  return typeof data === 'object' && data !== null && 'messageKey' in data ? data.messageKey : undefined;
}

const messageOf = ({ any, all, none }: Found): string =>
  [...any, ...all, ...none].map(({ message }) => message).join(' ');
