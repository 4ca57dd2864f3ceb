/** A chain shows every number: what handled an alert has its own entry. */
import { readFile } from 'node:fs/promises';
import type { ChainEntry } from '@sentinel-node/contracts';
import { proofNamed } from './evidence.ts';
import { event, hash, timeId, type World } from './fixtures.ts';
import { ok } from './mock-routes.ts';
import type { Locator } from 'playwright-core';
import { callsTo, consoleTest } from './support.ts';

const entryOf = (
  world: World,
  number: number,
  kind: ChainEntry['kind'],
  handled: ChainEntry['alert'],
): ChainEntry => ({
  id: timeId(world.now, 4000 + number),
  number,
  kind,
  timestamp: new Date(world.now).toISOString(),
  linkHash: hash(`entry ${number}`),
  bsvId: null,
  anchor: { state: 'BATCHED', batch: 3, confirmations: 0 },
  alert: handled,
});

const by = { overrideUserEmail: 'ada@example.org', note: 'The disk was replaced' };
const reset = { id: 'A27', type: 'UNEXPECTED_CHANGE', status: 'DEACTIVATED', ...by } as const;

consoleTest('[S2.28] what handled an alert stands between the links', async ({ mock, open }, t) => {
  const [raised] = mock.world.alerts;
  const all = mock.world.chains.get(raised?.fileId ?? '') ?? [];
  if (raised === undefined) throw new Error('no alert');
  const links = all.filter(({ number }) => number > 24 && ![28, 30, 31].includes(number));
  const entries = [entryOf(mock.world, 34, 'POLICY', null), entryOf(mock.world, 28, 'RESET', reset)];
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

consoleTest(
  '[S4.4] an overridden link without its alert is not shown as dismissed',
  async ({ mock, open }, t) => {
    const [raised] = mock.world.alerts;
    const [first, second] =
      mock.world.chains.get(raised?.fileId ?? '')?.filter(({ type }) => type === 'LINK') ?? [];
    const active = [{ id: 'A1', type: 'HASH_BREACH', status: 'ACTIVE' }];
    Object.assign(first ?? {}, { type: 'OVERRIDEN', alerts: [] });
    Object.assign(second ?? {}, { type: 'OVERRIDEN', alerts: active });
    const page = await open('/alerts-history');
    await page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();
    const list = page.getByRole('list', { name: 'Link chain, newest first' });
    await list.waitFor();
    for (const link of [first, second]) {
      const shown = list.locator('.chain-link').filter({ hasText: `#${link?.number}` });
      await shown.getByRole('img', { name: 'Overridden', exact: true }).waitFor();
      t.match(await shown.getAttribute('class'), /tone-neutral/);
    }
  },
);

consoleTest('a server that names no entries is read as before', async ({ open }, t) => {
  const page = await open('/alerts-history');
  await page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();
  const list = page.getByRole('list', { name: 'Link chain, newest first' });
  await list.waitFor();
  t.equal(await list.locator('.chain-link').count(), 10);
  t.equal(await list.locator('.chain-gap').count(), 0);
});

consoleTest('what handled an alert has a proof of its own', async ({ mock, open }, t) => {
  const [raised] = mock.world.alerts;
  if (raised === undefined) throw new Error('no alert');
  const links = (mock.world.chains.get(raised.fileId) ?? []).filter(({ number }) => number > 29);
  const dismissed = { ...reset, id: 'A28', status: 'RESOLVED' } as const;
  const mined: Partial<ChainEntry> = {
    bsvId: hash('tx 400'),
    anchor: { state: 'CONFIRMED', batch: 400, confirmations: 12 },
  };
  const sent = { state: 'BROADCAST', batch: 401 } as const;
  const entries = [
    { ...entryOf(mock.world, 29, 'DISMISSED', dismissed), ...mined },
    { ...entryOf(mock.world, 28, 'RESET', reset), ...mined },
    { ...entryOf(mock.world, 27, 'RESET', reset), ...mined, anchor: { ...sent, confirmations: 0 } },
  ];
  mock.overrides.set('PUT /files/chain/*/*/*', () => ok({ links, entries, newer: false, older: true }));
  mock.overrides.set('GET /proofs/*/*/*/*', () => ok(proofNamed('whole')));
  const page = await open('/alerts-history');
  await page.getByRole('link', { name: 'Hash breach', exact: true }).first().click();
  const list = page.getByRole('list', { name: 'Link chain, newest first' });
  await list.waitFor();
  for (const [kind, number] of [
    ['DISMISSED', 29],
    ['RESET', 28],
  ] as const) {
    const item = list.locator(`[data-kind=${kind}]`).first();
    await item.getByText('confirmed, 12 confirmations', { exact: true }).waitFor();
    const downloading = page.waitForEvent('download');
    await item.getByRole('button', { name: `Proof of entry ${number}` }).click();
    const download = await downloading;
    const id = timeId(mock.world.now, 4000 + number);
    t.equal(download.suggestedFilename(), `proof_${number}_${id}.json`);
    const asked = callsTo(mock, 'GET', '/proofs/').at(-1)?.path ?? '';
    t.equal(asked, `/proofs/${mock.world.orgId}/${raised.deviceId}/${raised.fileId}/${id}`);
    t.same(JSON.parse(await readFile(await download.path(), 'utf8')), proofNamed('whole'), 'as it came');
  }
  t.equal(await list.getByRole('button', { name: 'Proof of entry 27' }).count(), 0, 'not in a block yet');
});

consoleTest('a link whose report ended a time without monitoring says so', async ({ mock, open }, t) => {
  const [raised] = mock.world.alerts;
  const links = mock.world.chains.get(raised?.fileId ?? '') ?? [];
  const last = links.find(({ number }) => number === 33);
  Object.assign(last!, { whileDisabled: true });
  const page = await open(`/alerts-history?alert=${raised?.id}&in=${raised?.deviceId}`);
  const list = page.getByRole('list', { name: 'Link chain, newest first' });
  await list
    .locator('.chain-link')
    .filter({ hasText: '#33' })
    .getByText('While monitoring was off')
    .waitFor();
  t.equal(await list.getByText('While monitoring was off').count(), 1);
});

consoleTest('the note of a rolled file names its archives, one a line', async ({ mock, open }, t) => {
  const archives = [
    { name: 'app.log.1', length: 2_048, hash: hash('one') },
    { name: 'app.log.2', length: 0, hash: hash('two') },
  ];
  const short = archives.map((one) => `${one.hash.slice(0, 8)}…${one.hash.slice(-6)}`);
  const [machine] = mock.world.devices;
  const where = { deviceId: machine!.id, deviceName: machine!.name };
  for (const [note, text] of [
    [{ archives }, `app.log.1, 2,048 B, ${short[0]}\napp.log.2, 0 B, ${short[1]}`],
    [{ archives: [] }, 'No archive was named.'],
    [{ archives: [7] }, 'Archives: 7'],
  ] as const) {
    const rolled = event(990, 'ROLLING', mock.world.now, { ...where, note: JSON.stringify(note) });
    mock.world.events = [rolled, ...mock.world.events.filter(({ id }) => id !== rolled.id)];
    const page = await open(`/dashboard?event=${rolled.id}&in=${machine!.id}`);
    const shown = page.getByRole('dialog').locator('dt', { hasText: 'Note' }).locator('+ dd');
    await shown.waitFor();
    t.equal(await shown.innerText(), text);
  }
});

consoleTest('a transaction of a ledger without an explorer is not public', async ({ mock, open }, t) => {
  const [raised] = mock.world.alerts;
  for (const [parts, text] of [
    [['ledger'], 'development ledger, not public'],
    [[], 'not public'],
  ] as const) {
    mock.config['developmentParts'] = parts;
    const page = await open(`/alerts-history?alert=${raised?.id}&in=${raised?.deviceId}`);
    const shown = page.locator('.transaction .muted').first();
    await shown.waitFor();
    t.equal(await shown.innerText(), text);
    t.equal(await page.locator('a.transaction').count(), 0);
  }
});

const isGreen = (element: Locator): Promise<boolean> =>
  element.evaluate((shown) => {
    const probe = document.createElement('i');
    probe.style.color = 'var(--success-text)';
    document.body.append(probe);
    const green = getComputedStyle(probe).color;
    probe.remove();
    return getComputedStyle(shown).color === green;
  });

consoleTest('the anchoring of an entry is green only in a block that counts', async ({ mock, open }, t) => {
  const entries = (['RECEIVED', 'BATCHED', 'BROADCAST', 'CONFIRMED', 'CONFIRMED'] as const).map(
    (state, n) => ({
      ...entryOf(mock.world, n, 'POLICY', null),
      bsvId: n < 2 ? null : hash(`transaction ${n}`),
      anchor: { state, batch: n === 0 ? null : 3, confirmations: n === 4 ? 2 : 0 },
    }),
  );
  mock.overrides.set('PUT /files/chain/*/*/*', () =>
    ok({ links: [], entries: entries.toReversed(), newer: false, older: false }),
  );
  const [raised] = mock.world.alerts;
  const path = `/device/${raised?.deviceId}/file/${raised?.fileId}`;
  for (const [developmentParts, green] of [
    [[], [true, false, false, false, false]],
    [['ledger'], [false, false, false, false, false]],
  ] as const) {
    mock.config = { ...mock.config, developmentParts };
    const page = await open(path);
    const steps = page.getByRole('list', { name: 'Anchoring' }).locator('[aria-current=step]');
    await steps.last().waitFor();
    t.same(
      await Promise.all((await steps.all()).map(isGreen)),
      green,
      `development: ${developmentParts.join()}`,
    );
    await page.context().close();
  }
});
