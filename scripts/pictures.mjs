#!/usr/bin/env node
// npm run pictures: takes the README's pictures from the demonstration of `npm start`, into docs/pictures. It needs Chromium.
import { execFileSync, spawn } from 'node:child_process';
import { appendFile, mkdir, mkdtemp, open, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium } from 'playwright-core';
import { animatedPng } from './lib/animated-png.mjs';
import { freePort } from './lib/free-port.mjs';
import { prepare, root } from './lib/prepare.mjs';

const VIEW = { width: 1280, height: 800 };
/** Longest wait for a page, an alert or a confirmed batch: milliseconds. */
const PATIENCE_MS = 120_000;
/** How long the moving picture shows each state: milliseconds. */
const SHOWN_MS = { before: 1_500, arrived: 2_500, opened: 3_500, anchored: 4_000 };
const folder = join(root, 'docs/pictures');

await prepare();
const { findChromium } = await import('../services/test-kit/dist/src/test-servers/chromium.js');
const found = findChromium();
if (found.path === undefined) throw new Error(`pictures need Chromium: ${found.skip}`);
await mkdir(folder, { recursive: true });
const data = await mkdtemp(join(tmpdir(), 'sentinel-pictures-'));
// A fixed port, because `npm start` prints the configured port, which must not be 0.
const port = await freePort();
const env = { ...process.env, SENTINEL_DATA_DIR: data, SENTINEL_PORT: String(port) };
const server = spawn(process.execPath, [join(root, 'scripts/start.mjs')], {
  env,
  stdio: ['ignore', 'ignore', 'pipe'],
});
const browser = await chromium.launch({ executablePath: found.path, args: ['--no-sandbox'] });
try {
  await takeAll(await loginAddress(server));
} finally {
  await browser.close();
  server.kill('SIGTERM');
  await new Promise((resolve) => server.once('close', resolve));
  await rm(data, { recursive: true, force: true });
}

async function takeAll(login) {
  const page = await signedIn(login);
  const shown = (selector) => page.locator(selector).first().waitFor();
  await page.locator('.event-name').nth(3).waitFor();

  await shown('.time-chart-tick');
  const frames = [await frame(page, SHOWN_MS.before)];
  await appendFile(join(data, 'demo/files/program.sh'), '# changed\n');
  await page.getByRole('button', { name: 'Show', exact: true }).waitFor();
  frames.push(await frame(page, SHOWN_MS.arrived));
  await page.getByRole('button', { name: 'Show', exact: true }).click();
  await shown('.side-modal .chain-link');
  frames.push(await frame(page, SHOWN_MS.opened));
  const proofs = page.locator('.side-modal').getByRole('button', { name: /^Proof/ });
  await proofs.nth(1).waitFor();
  frames.push(await frame(page, SHOWN_MS.anchored));
  await writeFile(join(folder, 'alert-arrives.png'), animatedPng(frames));
  await take(page, 'alert');

  const [download] = await Promise.all([page.waitForEvent('download'), proofs.first().click()]);
  const proof = join(data, 'proof.json');
  await download.saveAs(proof);
  await page.keyboard.press('Escape');
  await overwrite(join(data, 'demo/files/journal.log'), 10);
  await page.getByRole('button', { name: 'Show', exact: true }).waitFor();
  await page.goto(new URL('/dashboard', login).href);
  await shown('.time-chart-tick');
  await take(page, 'dashboard');
  await page.goto(new URL('/alerts-history', login).href);
  await shown('tbody a');
  await take(page, 'alerts');
  await page.goto(new URL('/devices', login).href);
  await page.locator('tbody a').first().click();
  await shown('main a[href*="?file="]');
  await take(page, 'device');
  await page.getByRole('link', { name: 'Program' }).click();
  await page.getByRole('link', { name: 'Open its page' }).click();
  await shown('.chain-link');
  await take(page, 'file', { fullPage: true });

  const trust = join(data, 'trust.json');
  await writeFile(trust, execFileSync('npx', ['sentinel', 'trust'], { cwd: root, env }));
  await page.goto(new URL('/verify', login).href);
  await page.locator('input[type=file]').first().setInputFiles([proof, trust]);
  await page.locator('.sorted-files li').nth(1).waitFor();
  await page.getByRole('button', { name: 'Check', exact: true }).click();
  await shown('.verdict');
  // Scroll the verdict below the head of the page, which is fixed.
  await page
    .locator('.verdict')
    .evaluate((verdict) =>
      verdict.ownerDocument.defaultView.scrollBy(0, verdict.getBoundingClientRect().top - 90),
    );
  await take(page, 'verify');
}

async function frame(page, milliseconds) {
  return { png: await page.screenshot(), milliseconds };
}

function take(page, name, options = {}) {
  return page.screenshot({ path: join(folder, `${name}.png`), ...options });
}

/** Rewrites one byte of a log, as an attacker would. */
async function overwrite(path, position) {
  const file = await open(path, 'r+');
  await file.write('X', position);
  await file.close();
}

/** Returns the sign-in address that `npm start` prints. */
function loginAddress({ stderr }) {
  let text = '';
  return new Promise((resolve, reject) => {
    stderr.setEncoding('utf8').on('data', (part) => {
      text += part;
      const address = /https?:\S+\/login\?\S+/.exec(text)?.[0];
      if (address !== undefined) resolve(address);
    });
    stderr.once('end', () => reject(new Error(`npm start ended:\n${text}`)));
  });
}

async function signedIn(login) {
  const context = await browser.newContext({ viewport: VIEW, locale: 'en-US', reducedMotion: 'reduce' });
  context.setDefaultTimeout(PATIENCE_MS);
  const page = await context.newPage();
  await page.goto(login);
  await page.getByRole('button', { name: /log in/i }).click();
  await page.getByRole('button', { name: 'Sign in' }).click();
  return page;
}
