import { existsSync } from 'node:fs';
import { chromium, type Browser, type Page } from 'playwright-core';
import { TOKEN, type Mock } from './mock-api.ts';

const ARGUMENTS = [
  '--headless',
  '--no-sandbox',
  '--disable-gpu',
  '--disable-quic',
  '--no-first-run',
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
];

/** Path of the browser, or why there is none. A required one that is missing throws. */
export function findChromium(): { path: string } | { skip: string } {
  const path = process.env['SENTINEL_TEST_CHROMIUM'] ?? '/usr/bin/chromium';
  if (existsSync(path)) return { path };
  const skip = `no Chromium at ${path} (set SENTINEL_TEST_CHROMIUM)`;
  const required = (process.env['SENTINEL_TEST_REQUIRE'] ?? '').split(',').includes('browser');
  if (required) throw new Error(skip);
  return { skip };
}

export const launch = (path: string): Promise<Browser> =>
  chromium.launch({ executablePath: path, args: ARGUMENTS });

export interface Viewport {
  width?: number;
  height?: number;
  dark?: boolean;
}

/** A page of its own context. Without `signedIn: false` the mock's session is stored beforehand. */
export async function openPage(
  browser: Browser,
  mock: Mock,
  path: string,
  options: Viewport & { signedIn?: boolean } = {},
): Promise<Page> {
  const { width = 1440, height = 900, dark = false, signedIn = true } = options;
  const context = await browser.newContext({
    viewport: { width, height },
    colorScheme: dark ? 'dark' : 'light',
    reducedMotion: 'reduce',
    locale: 'en-US',
    permissions: ['clipboard-read', 'clipboard-write'],
    acceptDownloads: true,
  });
  context.setDefaultTimeout(8_000);
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
