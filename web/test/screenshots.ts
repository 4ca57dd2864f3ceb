/**
 * Pictures of every screen and state, for people to look at: `npm run screenshots [-- --only NAME,… --width N,… --theme light|dark --to FOLDER]`.
 * They come from the mock API into a folder that git ignores, with a page that shows them side by side.
 */
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { findChromium, launchChromium } from '@sentinel-node/test-kit/test-servers/chromium';
import { openPage } from './browser.ts';
import { startMock } from './mock-api.ts';
import { screens, type Screen } from './screens.ts';
import { showScreen } from './show-screen.ts';

const WIDTHS = [1440, 1024, 768, 390];
const HEIGHTS: Record<number, number> = { 1440: 900, 1024: 768, 768: 1024, 390: 844 };

const { values } = parseArgs({
  options: {
    to: { type: 'string' },
    only: { type: 'string' },
    width: { type: 'string' },
    theme: { type: 'string' },
  },
});
const folder = values.to ?? fileURLToPath(new URL('../../../.cache/screenshots', import.meta.url));
const only = values.only?.split(',');
const themes = [false, true].filter(
  (dark) => values.theme === undefined || dark === (values.theme === 'dark'),
);
const widths = values.width?.split(',').map(Number) ?? WIDTHS;
const found = findChromium();
if ('skip' in found) throw new Error(`screenshots need Chromium: ${found.skip}`);
await mkdir(folder, { recursive: true });
const browser = await launchChromium(found.path);
const chosen = screens.filter(({ name }) => only === undefined || only.includes(name));
const failed: string[] = [];
for (const screen of chosen) {
  for (const width of widths) {
    for (const dark of themes) {
      const file = fileOf(screen, width, dark);
      try {
        await take(screen, width, dark, join(folder, file));
      } catch (error) {
        failed.push(`${file}: ${String(error).split('\n', 1)[0]}`);
        process.stderr.write(`${failed.at(-1)}\n`);
      }
    }
  }
  process.stdout.write(`${screen.name}\n`);
}
await browser.close();
await writeFile(join(folder, 'index.html'), indexPage());
process.stdout.write(`${join(folder, 'index.html')}\n`);
process.exitCode = failed.length === 0 ? 0 : 1;

function fileOf({ name }: Screen, width: number, dark: boolean): string {
  return `${name}-${width}-${dark ? 'dark' : 'light'}.png`;
}

async function take(screen: Screen, width: number, dark: boolean, path: string): Promise<void> {
  const mock = await startMock();
  try {
    screen.world?.(mock);
    const height = HEIGHTS[width] ?? 900;
    const page = await openPage(browser, mock, screen.path(mock), {
      width,
      height,
      dark,
      signedIn: screen.signedIn ?? true,
    });
    await showScreen(page, mock, screen);
    if (screen.print === true) {
      await page.emulateMedia({ media: 'print' });
      await page.evaluate(() => window.dispatchEvent(new Event('beforeprint')));
    }
    await page.screenshot({ path, fullPage: screen.whole ?? false });
    await page.context().close();
  } finally {
    await mock.close();
  }
}

function indexPage(): string {
  const rows = chosen.map((screen) => {
    const pictures = widths.flatMap((width) =>
      themes.map((dark) => {
        const file = fileOf(screen, width, dark);
        return `<a href="${file}"><img loading="lazy" src="${file}" alt="${file}"></a>`;
      }),
    );
    return `<h2>${screen.name}</h2><div>${pictures.join('')}</div>`;
  });
  return `<!doctype html><meta charset="utf-8"><title>Screens</title>
<style>body{font:14px system-ui;margin:2rem}div{display:flex;gap:1rem;overflow-x:auto;align-items:start}img{height:22rem;border:1px solid #999}</style>
<h1>Screens</h1>${rows.join('\n')}
`;
}
