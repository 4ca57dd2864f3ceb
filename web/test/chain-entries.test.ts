/** A chain shows every number: what handled an alert has its own entry. */
import type { ChainEntry } from '@sentinel-node/contracts';
import { hash, timeId } from './fixtures.ts';
import { ok } from './mock-routes.ts';
import { consoleTest } from './support.ts';

consoleTest('[S2.28] what handled an alert stands between the links', async ({ mock, open }, t) => {
  const [raised] = mock.world.alerts;
  const all = mock.world.chains.get(raised?.fileId ?? '') ?? [];
  if (raised === undefined) throw new Error('no alert');
  const links = all.filter(({ number }) => number > 24 && ![28, 30, 31].includes(number));
  const entry = (number: number, kind: ChainEntry['kind'], handled: ChainEntry['alert']): ChainEntry => ({
    id: timeId(mock.world.now, 4000 + number),
    number,
    kind,
    timestamp: new Date(mock.world.now).toISOString(),
    linkHash: hash(`entry ${number}`),
    bsvId: null,
    anchor: { state: 'BATCHED', batch: 3, confirmations: 0 },
    alert: handled,
  });
  const by = { overrideUserEmail: 'ada@example.org', note: 'The disk was replaced' };
  const reset = { id: 'A27', type: 'UNEXPECTED_CHANGE', status: 'DEACTIVATED', ...by } as const;
  const entries = [entry(34, 'POLICY', null), entry(28, 'RESET', reset)];
  mock.overrides.set('PUT /files/chain/*/*/*', () => ok({ links, entries, newer: false, older: true }));
  const page = await open('/alerts-history');
  await page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();
  const list = page.getByRole('list', { name: 'Link chain, newest first' });
  await list.waitFor();
  const numbers = await list.locator('.chain-link .entry-number').allInnerTexts();
  t.same(numbers, ['#34', '#33', '#32', '#29', '#28', '#27', '#26', '#25']);
  const handling = list.locator('[data-kind=RESET]');
  await handling.getByText('Chain reset', { exact: true }).waitFor();
  t.match(await handling.innerText(), /Unexpected change reset by ada@example\.org\s+The disk was replaced/);
  await list.getByText('Entries #30 to #31 are not among what was read').waitFor();
  await list.locator('[data-kind=POLICY]').getByText('Policy changed').waitFor();
});

consoleTest('a server that names no entries is read as before', async ({ open }, t) => {
  const page = await open('/alerts-history');
  await page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();
  const list = page.getByRole('list', { name: 'Link chain, newest first' });
  await list.waitFor();
  t.equal(await list.locator('.chain-link').count(), 10);
  t.equal(await list.locator('.chain-gap').count(), 0);
});
