import { findChromium, launchChromium } from '@sentinel-node/test-kit/test-servers/chromium';
import t from 'tap';
import type { Browser, Page, Request } from 'playwright-core';
import { live, openPage, type Viewport } from './browser.ts';
import { startMock, type Mock } from './mock-api.ts';
import { makeWorld } from './world.ts';
import { until } from './until.ts';

export { live, until };

interface Stage {
  mock: Mock;
  open: (path: string, options?: Viewport & { signedIn?: boolean }) => Promise<Page>;
}

/** Only ends a file that hangs: some take a minute on a fast machine. */
const FILE_MS = 900_000;

/** In the middle of an hour of UTC: no hour passes while a test runs whose clocks stand still here. */
export const MID_HOUR = Date.parse('2026-11-21T10:30:00.000Z');

interface Clocks {
  /** Where the clocks of the page and of the mock stand still, in ms since 1970; the world is made for it. */
  at?: number;
}

let browser: Promise<Browser> | null = null;
t.setTimeout(FILE_MS);
t.teardown(async () => (await browser)?.close());

/** A test of the console in a real browser, against a mock server of its own. */
export function consoleTest(
  title: string,
  run: (stage: Stage, assert: Assertions) => Promise<void>,
  { at }: Clocks = {},
): void {
  const found = findChromium();
  if ('skip' in found) {
    void t.test(title, { skip: found.skip }, () => undefined);
    return;
  }
  void t.test(title, async (test) => {
    browser ??= launchChromium(found.path);
    const chromium = await browser;
    const mock = await startMock(makeWorld(at));
    mock.now = at ?? null;
    const pages: Page[] = [];
    test.teardown(async () => {
      await Promise.all(pages.map((page) => page.context().close()));
      await mock.close();
    });
    const open: Stage['open'] = async (path, options) => {
      const page = await openPage(chromium, mock, path, { ...options, ...(at !== undefined && { at }) });
      pages.push(page);
      return page;
    };
    await run({ mock, open }, test);
  });
}

export type Assertions = Pick<
  typeof t,
  'equal' | 'match' | 'not' | 'notMatch' | 'notOk' | 'ok' | 'same' | 'strictSame'
>;

export const pathOf = (page: Page): string => new URL(page.url()).pathname;

/** Waits until the page follows the stream, and no further call comes for a while. @returns how many there were */
export async function callsOnceQuiet(page: Page, mock: Mock): Promise<number> {
  await live(page);
  for (let seen = -1; seen !== mock.calls.length;) {
    seen = mock.calls.length;
    await page.evaluate(() => new Promise((resolve) => setTimeout(resolve, 1_000)));
  }
  return mock.calls.length;
}

/**
 * Presses the keys of one shortcut. None waits for what the page does with the one before: the time between them is
 * theirs, however busy the page is.
 */
export async function pressTogether(page: Page, ...keys: string[]): Promise<void> {
  await Promise.all(keys.map((key) => page.keyboard.press(key)));
}

/** Waits for two frames: a page hears of its scrolling with the next one. */
export const framesAfter = (page: Page): Promise<void> =>
  page.evaluate(
    () => new Promise((resolve) => requestAnimationFrame(() => requestAnimationFrame(() => resolve()))),
  );

/** Gives a window another size and waits for the frames in which the page and its observers take it. */
export async function resize(page: Page, width: number, height = 900): Promise<void> {
  await page.setViewportSize({ width, height });
  await framesAfter(page);
}

/** Waits until the page has the answer to a call, or has given the call up, and has shown what follows from it. */
export async function afterAnswer(page: Page, call: Request): Promise<void> {
  const answer = await call.response();
  await answer?.finished();
  await framesAfter(page);
}

/** Stops the clocks of the page and of the mock at a time. */
export async function setTime(page: Page, mock: Mock, at: Date | number): Promise<void> {
  await live(page);
  mock.now = Number(at);
  await page.clock.setFixedTime(at);
  // An answer that came between the two taught the page a difference of the clocks: one that comes now takes it back.
  const heard = page.waitForResponse((response) => response.url().includes('/api/v1/'));
  mock.send('resync', {});
  await heard;
  await until(async () => (await page.locator('.clock-banner').count()) === 0, 'the clocks agree');
}

/** Calls of one kind that came to the mock. */
export const callsTo = (mock: Mock, method: string, prefix: string): Mock['calls'] =>
  mock.calls.filter((call) => call.method === method && call.path.startsWith(prefix));

/** Has the server do what is asked by these calls that change something, and loses the answers. */
export async function loseAnswers(page: Page, addresses: string): Promise<void> {
  await page.route(addresses, async (route) => {
    if (route.request().method() === 'GET') return route.fallback();
    await route.fetch();
    return route.abort();
  });
}

/** Holds back the answers to calls of these addresses until the returned function is called. */
export async function holdAnswers(page: Page, addresses: string): Promise<() => void> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(addresses, async (route) => {
    await released;
    // The page may have given up the call.
    await route.continue().catch(() => undefined);
  });
  return release;
}

/** Has the server do what is asked by calls of these addresses, and holds back the answers until the function is called. */
export async function delayAnswers(page: Page, addresses: string): Promise<() => void> {
  let release = (): void => undefined;
  const released = new Promise<void>((resolve) => (release = resolve));
  await page.route(addresses, async (route) => {
    if (route.request().method() === 'GET') return route.fallback();
    const response = await route.fetch();
    await released;
    // The page may have given up the call.
    await route.fulfill({ response }).catch(() => undefined);
  });
  return release;
}
