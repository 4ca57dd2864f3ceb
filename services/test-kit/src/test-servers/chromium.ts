/** Finds the browser of the tests. A separate module, because users of other servers need no driver of browsers. */
import { existsSync } from 'node:fs';
import { chromium, type Browser } from 'playwright-core';
import { isRequired } from './required.ts';

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

/**
 * Paths in order of preference: without a window to draw, the headless shell takes less than half of the
 * processor time.
 */
const PATHS = ['/usr/bin/chromium-headless-shell', '/usr/bin/chromium'];

/** Returns the path of the browser, or why the test is skipped. @throws Error when a required browser is missing */
export function findChromium(): { path: string } | { skip: string } {
  const named = process.env['SENTINEL_TEST_CHROMIUM'];
  const paths = named === undefined ? PATHS : [named];
  const path = paths.find((candidate) => existsSync(candidate));
  if (path !== undefined) return { path };
  const skip = `no Chromium at ${paths.join(' or ')} (set SENTINEL_TEST_CHROMIUM)`;
  if (isRequired('browser')) throw new Error(skip);
  return { skip };
}

export const launchChromium = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: ARGUMENTS });
