/** Takes pictures of the screens into the folder that is given, for people to look at. */
import { findChromium, launchChromium } from '@sentinel-node/test-kit/test-servers/chromium';
import { openPage } from './browser.ts';
import { startMock } from './mock-api.ts';
import { uuid } from './fixtures.ts';

const folder = process.argv[2];
const only = process.argv[3];
const found = findChromium();
if (folder === undefined || 'skip' in found) throw new Error('usage: screenshots FOLDER; needs Chromium');
const browser = await launchChromium(found.path);
const mock = await startMock();
const device = uuid(101);
const screens: [name: string, path: string, click?: string][] = [
  ['login', '/login'],
  ['dashboard', '/dashboard'],
  ['event', '/dashboard', '.event-name >> nth=2'],
  ['alerts', '/alerts-history'],
  ['alert', '/alerts-history', '.row-button >> nth=0'],
  ['devices', '/devices'],
  ['device', `/device/${device}`],
  ['device-lost', `/device/${uuid(103)}`],
  ['file', `/device/${device}`, '.row-button >> nth=1'],
  ['file-page', `/device/${device}/file/${uuid(1001)}`],
  ['enrolments', '/enrolments'],
  ['define-enrolment', '/define-enrolment'],
  ['users', '/users'],
  ['add-device', '/add-device'],
  ['add-files', `/device/${device}/add-files`],
  ['define-user', '/define-user'],
  ['found', '/alerts-history?search=ledger-db-01'],
  ['event-alert', '/dashboard', '.event-name >> nth=0'],
  ['share', `/share/alert/${mock.world.alerts[3]?.id}`],
];
for (const [name, path, click] of screens) {
  if (only !== undefined && !only.split(',').includes(name)) continue;
  for (const [width, dark] of [
    [1440, false],
    [1440, true],
    [1000, false],
    [390, true],
  ] as const) {
    const page = await openPage(browser, mock, path, { width, dark, signedIn: name !== 'login' });
    await page.waitForSelector('h1');
    await page.waitForLoadState('networkidle', { timeout: 1_500 }).catch(() => undefined);
    if (click) await page.click(click);
    if (click) await page.waitForSelector('.chain-link');
    await page.screenshot({
      path: `${folder}/${name}-${width}-${dark ? 'dark' : 'light'}.png`,
      fullPage: !click && width < 500,
    });
    await page.context().close();
  }
}
await browser.close();
await mock.close();
