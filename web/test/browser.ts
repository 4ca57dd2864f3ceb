import type { Browser, Page } from 'playwright-core';
import { TOKEN, type Mock } from './mock-api.ts';
import { DEADLINE_MS } from './until.ts';

export interface Viewport {
  width?: number;
  height?: number;
  dark?: boolean;
  /** IANA name; without it the machine's. */
  timeZone?: string;
}

/**
 * A page of its own context. Without `signedIn: false` the mock's session is stored beforehand.
 * @param options with `at`: the page's clock stands still there, in ms since 1970; its timers run
 */
export async function openPage(
  browser: Browser,
  mock: Mock,
  path: string,
  options: Viewport & { signedIn?: boolean; at?: number } = {},
): Promise<Page> {
  const { width = 1440, height = 900, dark = false, signedIn = true, timeZone, at } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    locale: 'en-US',
    ...(timeZone !== undefined && { timezoneId: timeZone }),
    permissions: ['clipboard-read', 'clipboard-write'],
    acceptDownloads: true,
  });
  context.setDefaultTimeout(DEADLINE_MS);
  if (signedIn) {
    const user = JSON.stringify({ token: TOKEN, email: mock.session.email });
    await context.addInitScript((stored) => {
      if (sessionStorage.getItem('signed-in') === null) localStorage.setItem('sentinel.user', stored);
      sessionStorage.setItem('signed-in', 'yes');
    }, user);
  }
  const page = await context.newPage();
  if (at !== undefined) await page.clock.setFixedTime(at);
  await page.goto(mock.url + path);
  return page;
}

/**
 * Waits until the page follows the stream. What is sent before is lost, and a page that waited in vain for the stream
 * reads all of it again when it comes.
 */
export const live = (page: Page): Promise<void> => page.getByText('Live', { exact: true }).waitFor();
