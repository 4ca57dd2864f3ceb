/** The proofs of a whole chain: of few entries in one file, of many in several that fit together. */
import { readFile } from 'node:fs/promises';
import t from 'tap';
import { allProofs, MOST_BUNDLES, type BundleRange, type SavedBundle } from '../src/chain/all-proofs.ts';
import { ApiError } from '../src/api/errors.ts';
import { bundleNamed } from './evidence.ts';
import { uuid } from './fixtures.ts';
import { problem } from './mock-routes.ts';
import { callsTo, consoleTest } from './support.ts';

/** A server of so many entries, which gives at most 1,000 of them, and at most `fitting` in the bytes of a bundle. */
const server =
  (count: number, fitting = 1_000) =>
  ({ from, to = count - 1 }: BundleRange): Promise<Blob> => {
    if (to >= count) return Promise.reject(new ApiError('NOT_FOUND', 404, 'after the newest'));
    if (to - from >= Math.min(1_000, fitting))
      return Promise.reject(new ApiError('VALIDATION_FAILED', 422, 'too much'));
    return Promise.resolve(new Blob([JSON.stringify([from, to])]));
  };

async function saved(ask: (range: BundleRange) => Promise<Blob>) {
  const bundles: SavedBundle[] = [];
  for await (const bundle of allProofs(ask)) bundles.push(bundle);
  const held = await Promise.all(
    bundles.map(async ({ document }) => JSON.parse(await document.text()) as number[]),
  );
  return { bundles, held };
}

t.test('bundles fit together without a gap', async (t) => {
  for (const [count, fitting] of [
    [1, 1_000],
    [1_000, 1_000],
    [1_001, 1_000],
    [2_500, 1_000],
    [900, 600],
    [3_000, 130],
    [7, 1],
  ] as const) {
    const { bundles, held } = await saved(server(count, fitting));
    let next = 0;
    for (const [from, to] of held) {
      t.equal(from, next, `${count} of ${fitting} at a time`);
      next = (to ?? 0) + 1;
    }
    const isWhole = bundles.at(-1)?.to === undefined;
    t.equal(isWhole, next === count, 'an end is named where it is not the newest');
    t.ok(isWhole || bundles.length === MOST_BUNDLES, `${bundles.length} bundles`);
  }
});

t.test('a range that cannot be made smaller, or another failure, is told', async (t) => {
  await t.rejects(saved(server(5, 0)), { code: 'VALIDATION_FAILED' });
  await t.rejects(
    saved(() => Promise.reject(new ApiError('OVERLOADED', 503, 'later'))),
    { code: 'OVERLOADED' },
  );
});

consoleTest('all proofs of a chain are saved as they came', async ({ mock, open }, t) => {
  const body = bundleNamed('of two batches in one block');
  mock.overrides.set('GET /proofs/*/*/*', () => ({ status: 200, body }));
  const page = await open(`/device/${uuid(101)}`);
  await page.getByRole('link', { name: 'access log', exact: true }).click();
  const panel = page.getByRole('dialog', { name: 'access log' });
  const button = panel.getByRole('button', { name: 'Download all proofs' });
  const downloading = page.waitForEvent('download');
  await button.click();
  const download = await downloading;
  t.match(download.suggestedFilename(), /^proofs_[0-9a-f-]{36}\.json$/);
  t.same(JSON.parse(await readFile(await download.path(), 'utf8')), body);
  t.equal(callsTo(mock, 'GET', '/proofs/').length, 1);
  t.ok(await button.evaluate((element) => element === document.activeElement), 'the focus stays');
  mock.overrides.clear();
  await button.click();
  await page.getByRole('alert').filter({ hasText: 'Error!' }).waitFor();
});

consoleTest(
  'of a download that fails in its middle is said what the files hold',
  async ({ mock, open }, t) => {
    const body = bundleNamed('of two batches in one block');
    for (const code of ['INTERNAL', 'UNAUTHENTICATED'] as const) {
      mock.overrides.set('GET /proofs/*/*/*', ({ query }) => {
        if (query.get('from') !== '0') return problem(code);
        return query.has('to') ? { status: 200, body } : problem('VALIDATION_FAILED');
      });
      const page = await open(`/device/${uuid(101)}`);
      await page.getByRole('link', { name: 'access log', exact: true }).click();
      const downloading = page.waitForEvent('download');
      await page.getByRole('button', { name: 'Download all proofs' }).click();
      t.match((await downloading).suggestedFilename(), /_0\.json$/);
      const notice = page.locator('.notices .notice').filter({ hasText: 'Not all proofs' });
      await notice.getByText('The files hold the entries up to 999.', { exact: true }).waitFor();
      const why = notice.getByText('Something went wrong on the server', { exact: true });
      t.equal(await why.count(), code === 'INTERNAL' ? 1 : 0);
    }
  },
);
