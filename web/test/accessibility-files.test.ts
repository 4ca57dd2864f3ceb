import { AxeBuilder } from '@axe-core/playwright';
import { uuid } from './fixtures.ts';
import { consoleTest } from './support.ts';

const device = uuid(101);

consoleTest(
  'the pages about files have no fault of accessibility, light and dark',
  async ({ mock, open }, t) => {
    const [, other] = mock.world.devices;
    if (other === undefined) throw new Error('the world has two devices');
    Object.assign(other, { lastContact: null });
    Object.assign(other.files[0] ?? {}, { parked: { since: null, cause: null, waiting: 1 } });
    const screens: [path: string, ready: string, began?: string, click?: string][] = [
      [`/device/${device}/file/${uuid(1001)}`, '.file-table', '.chain-link', 'summary'],
      [`/device/${device}/add-files`, '.many-files', '.file-group', 'text=Add many files at once'],
      [`/device/${other.id}`, '.start-steps'],
    ];
    for (const dark of [false, true]) {
      for (const [path, ready, began = ready, click] of screens) {
        const page = await open(path, { dark });
        await page.locator(began).first().waitFor();
        if (click !== undefined) await page.locator(click).first().click();
        await page.locator(ready).first().waitFor();
        const { violations } = await new AxeBuilder({ page }).analyze();
        const found = violations.map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 140)}`);
        t.same(found, [], path);
        await page.close();
      }
    }
  },
);
