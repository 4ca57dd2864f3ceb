import type { AttributeChange } from '@sentinel-node/contracts';
import type { Page } from 'playwright-core';
import { matchList } from '@sentinel-node/test-kit/matching';
import { violationsOf } from '@sentinel-node/test-kit/axe';
import { uuid } from './fixtures.ts';
import { callsTo, consoleTest } from './support.ts';

const machine = uuid(101);
const BOX = 'Also watch permissions and owner';
const SHOTS = process.env['SENTINEL_TEST_PICTURES'];

const changes: AttributeChange[] = [
  { name: 'kind', before: 'FILE', after: 'LINK' },
  { name: 'linkTarget', before: null, after: '/srv/a-rather-long-folder-name/'.repeat(4) },
  { name: 'mode', before: '0644', after: '0666' },
  { name: 'owner', before: '0', after: '0' },
  { name: 'size', before: '1100', after: '1200' },
];

async function faults(page: Page, name: string): Promise<string[]> {
  if (SHOTS !== undefined) await page.screenshot({ path: `${SHOTS}/${name}.png`, fullPage: true });
  return (await violationsOf(page)).map(({ id, nodes }) => `${id}: ${nodes[0]?.html}`);
}

async function filledForm(page: Page): Promise<void> {
  await page.getByLabel('File name').fill('hosts');
  await page.getByLabel('File path').fill('/etc/hosts');
  await page.getByLabel('File type').selectOption('TEXT');
  await page.getByLabel('Monitoring frequency').selectOption('FOLLOW');
  await page.getByLabel('Is file rolled').selectOption('no');
  await page.getByLabel('Is file editable').selectOption('no');
}

consoleTest(
  'a new file that is not editable has its permissions watched, unless the box is cleared',
  async ({ mock, open }, t) => {
    for (const [width, dark] of [
      [390, true],
      [1440, false],
    ] as const) {
      const page = await open(`/device/${machine}/add-files`, { width, dark });
      await filledForm(page);
      const box = page.getByRole('checkbox', { name: BOX });
      t.equal(await box.isChecked(), true);
      t.same(await faults(page, `form-${width}`), [], `${width}`);
      const wide = await page.evaluate(() => document.documentElement.scrollWidth);
      t.ok(wide <= width, `nothing sticks out at ${width}`);
      await page.getByLabel('Is file editable').selectOption('yes');
      t.equal(await box.count(), 0, 'a file that may change may have them changed');
      await page.getByLabel('Is file editable').selectOption('no');
      if (!dark) await page.getByText(BOX).click();
      t.equal(await box.isChecked(), dark, 'the text belongs to the box');
      await page.getByRole('button', { name: 'Add files' }).click();
      await page.waitForURL((url) => url.pathname === `/device/${machine}`);
    }
    const sent = callsTo(mock, 'PUT', '/devices/files/').flatMap(({ body }) => body['files']);
    matchList(t, sent, [{ watchAttributes: true }, { watchAttributes: false }]);
  },
);

consoleTest(
  'a file that is there shows what was chosen for it, and what its agent tells',
  async ({ mock, open }, t) => {
    const of = mock.world.devices[0]!;
    const file = of.files[0]!;
    Object.assign(file, { modifiable: false });
    const page = await open(`/device/${machine}/edit-file/${file.id}`);
    const box = page.getByRole('checkbox', { name: BOX });
    await box.waitFor();
    t.equal(await box.isChecked(), false, 'it stays as it was');
    for (const [fields, words] of [
      [{}, 'Not watched'],
      [{ watchAttributes: true }, 'To be watched; the agent has told none yet'],
      [{ watchAttributes: true, attributesTold: true }, 'Watched, any change raises an alert'],
    ] as const) {
      Object.assign(file, fields);
      const shown = await open(`/device/${machine}?file=${file.id}`);
      await shown.getByText(words, { exact: true }).waitFor();
    }
    Object.assign(file, { modifiable: true });
    const editable = await open(`/device/${machine}?file=${file.id}`);
    await editable.getByRole('dialog').getByText('Creation date').waitFor();
    t.equal(await editable.getByText('Permissions and owner').count(), 0);
  },
);

consoleTest('an alert names what was changed, with both values', async ({ mock, open }, t) => {
  const alert = mock.world.alerts[1]!;
  Object.assign(alert, { attributeChanges: changes });
  for (const [width, dark] of [
    [1440, false],
    [390, true],
  ] as const) {
    const page = await open(`/alerts-history?alert=${alert.id}&in=${alert.deviceId}`, { width, dark });
    const section = page.getByRole('region', { name: 'Changed attributes' });
    await section.waitFor();
    const rows = await section.getByRole('row').allInnerTexts();
    const text = rows.map((row) => row.replace(/\s+/g, ' ').trim()).join('\n');
    t.match(text, /Mode 0644 → to 0666/);
    t.match(text, /Kind File → to Link/);
    t.match(text, /Link target none → to \/srv/);
    t.match(text, /Owner user 0 → to user 0 \(changed, and changed back\)/);
    t.match(text, /Size 1,100 B → to 1,200 B/);
    t.same(await faults(page, `alert-${width}`), [], `${width}`);
    const wide = await page.evaluate(() => document.documentElement.scrollWidth);
    t.ok(wide <= width, `nothing sticks out at ${width}`);
  }
  Reflect.deleteProperty(alert, 'attributeChanges');
  const plain = await open(`/alerts-history`);
  await plain.locator('.row-button').nth(1).click();
  await plain.locator('.chain-link').first().waitFor();
  t.equal(await plain.getByText('Changed attributes').count(), 0);
});
