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

/** Returns the path of the browser, or why the test is skipped. @throws Error when a required browser is missing */
export function findChromium(): { path: string } | { skip: string } {
  const path = process.env['SENTINEL_TEST_CHROMIUM'] ?? '/usr/bin/chromium';
  if (existsSync(path)) return { path };
  const skip = `no Chromium at ${path} (set SENTINEL_TEST_CHROMIUM)`;
  if (isRequired('browser')) throw new Error(skip);
  return { skip };
}

export const launchChromium = (executablePath: string): Promise<Browser> =>
  chromium.launch({ executablePath, args: ARGUMENTS });
