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

/** A page of its own context. Without `signedIn: false` the mock's session is stored beforehand. */
export async function openPage(
  browser: Browser,
  mock: Mock,
  path: string,
  options: Viewport & { signedIn?: boolean } = {},
): Promise<Page> {
  const { width = 1440, height = 900, dark = false, signedIn = true, timeZone } = options;
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
  await page.goto(mock.url + path);
  return page;
}
