import { readFile } from 'node:fs/promises';
import { uuid } from './fixtures.ts';
import { callsTo, consoleTest } from './support.ts';

const VECTORS = new URL('../../../contracts/vectors/proof.json', import.meta.url);

consoleTest('the proof of an anchored link is saved as it came', async ({ mock, open }, t) => {
  const { proofs } = JSON.parse(await readFile(VECTORS, 'utf8')) as { proofs: { proof: object }[] };
  const body = proofs[0]?.proof;
  mock.overrides.set('GET /proofs/*/*/*/*', () => ({ status: 200, body }));
  const page = await open(`/device/${uuid(101)}`);
  await page.getByRole('link', { name: 'access log', exact: true }).click();
  const panel = page.getByRole('dialog', { name: 'access log' });
  const button = panel.getByRole('button', { name: 'Proof of entry 31' });
  await button.waitFor();
  t.equal(await panel.getByRole('button', { name: 'Proof of entry 32' }).count(), 0, 'not in a block yet');
  const downloading = page.waitForEvent('download');
  await button.click();
  const download = await downloading;
  t.match(download.suggestedFilename(), /^proof_31_[0-9A-Z]{26}\.json$/);
  t.same(JSON.parse(await readFile(await download.path(), 'utf8')), body);
  t.equal(callsTo(mock, 'GET', '/proofs/').length, 1);
  t.ok(await button.evaluate((element) => element === document.activeElement), 'the focus stays');
  mock.overrides.clear();
  await button.click();
  await page.getByRole('alert').filter({ hasText: 'Error!' }).waitFor();
});
