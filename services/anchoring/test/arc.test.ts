/** Tests the service on a ledger behind ARC: reports, reorganisations, states that need a person. */
import type { BlockHeaders } from '@sentinel-node/platform';
import { createArcLedger } from '@sentinel-node/platform/ledger';
import { dropBlocks } from '@sentinel-node/test-kit/fakes';
import { ArcServer } from '@sentinel-node/test-kit/test-servers';
import t, { type Test } from 'tap';
import { ledgerAlarms } from '../src/ledger/ledger-alarms.ts';
import { OWN_COLLECTIONS } from '../src/collections.ts';
import { markRecheck } from '../src/reorganisation/chain-mark.ts';
import { fileId, openWorld, serviceOn, type World } from './support.ts';

const TOKEN = 'the token of callbacks';
const JSON_TYPE = { 'content-type': 'application/json; charset=UTF-8' };
const BEARER = { ...JSON_TYPE, authorization: `Bearer ${TOKEN}` };
const PATH = '/ledger/callback';
const BLOCK_MS = 600_000;
t.setTimeout(300_000);

/** Opens a world with one batch whose transaction is on the network. */
async function opened(t: Test) {
  const world = await openWorld();
  const arc = await ArcServer.start({ ledger: world.ledger });
  const headers: BlockHeaders = {
    firstHeight: 0,
    start: () => Promise.resolve(),
    stop: () => Promise.resolve(),
    height: () => world.ledger.height(),
    header: (height) => world.ledger.header(height),
  };
  let callback = { url: `http://localhost:8443${PATH}`, token: TOKEN };
  const ledgerOf = (network: string) =>
    createArcLedger({
      network,
      endpoints: [{ url: arc.url, api: 'arc' }],
      headers,
      get callback() {
        return callback;
      },
      funding: (publicKeyHash) => world.ledger.funding(publicKeyHash),
      clock: world.clock,
      onAlarm: ledgerAlarms(undefined, undefined),
    });
  const made = await serviceOn(world, 'test.example/log', ledgerOf('test'), { callbackToken: TOKEN });
  t.teardown(async () => {
    await made.end();
    await arc.stop();
    await world.close();
  });
  const url = await made.listen();
  callback = { url: `${url}${PATH}`, token: TOKEN };
  await made.service.start();
  const cut = async (file: number) => {
    await world.deliver({ file: fileId(file), from: 0, count: 1, acceptedAt: world.clock.now() });
    world.clock.advance(31_000);
    await made.turn();
  };
  const mine = async () => {
    world.clock.advance(BLOCK_MS);
    await world.ledger.mine();
  };
  await cut(1);
  const newest = async () => (await world.transactions()).at(-1)!.record.transaction!;
  const polls = () => arc.requests.filter(({ method }) => method === 'GET').length;
  const { txid } = await newest();
  return { ...made, world, arc, ledgerOf, cut, mine, newest, polls, txid };
}

t.test('a report makes the ledger be asked at the next turn; without one, polls find it', async (t) => {
  const { arc, mine, newest, turn, txid, world } = await opened(t);
  t.equal((await newest()).status, 'SEEN_ON_NETWORK');
  // Makes the polls rare.
  for (let quiet = 0; quiet < 10; quiet++, world.clock.advance(15_000)) await turn();
  world.clock.advance(-15_000);
  await world.ledger.mine();
  await turn();
  t.equal((await newest()).status, 'SEEN_ON_NETWORK', 'not due');
  t.same(await arc.callback(txid, { times: 3 }), [204, 204, 204], 'repeated reports are taken');
  await turn();
  t.equal((await newest()).status, 'MINED');
  await mine();
  await turn();
  t.equal((await newest()).confirmations, 2, 'the report was lost');
});

t.test('a report counts for nothing by itself', async (t) => {
  const { arc, newest, polls, post, turn, txid, world } = await opened(t);
  t.same(await arc.callback(txid, { token: 'another' }), [401]);
  const forged = { txid, txStatus: 'MINED', blockHeight: 1, merklePath: '00', timestamp: 'x' };
  for (const headers of [
    JSON_TYPE,
    { ...JSON_TYPE, authorization: '' },
    { ...JSON_TYPE, authorization: 'Bearer ' },
    { ...JSON_TYPE, authorization: `Bearer ${TOKEN} ` },
    { ...JSON_TYPE, authorization: `bearer ${TOKEN}x` },
    { ...JSON_TYPE, authorization: TOKEN },
  ])
    t.equal((await post(PATH, headers, forged)).statusCode, 401);
  for (let quiet = 0; quiet < 10; quiet++, world.clock.advance(15_000)) await turn();
  world.clock.advance(-15_000);
  const before = polls();
  await turn();
  t.equal(polls(), before, 'reports without the token make nobody ask');
  t.equal((await post(PATH, BEARER, forged)).statusCode, 204);
  t.equal((await post(PATH, BEARER, { ...forged, txid: '11'.repeat(32) })).statusCode, 204);
  await turn();
  t.equal(polls(), before + 1, 'about the transaction that is open');
  t.equal((await newest()).status, 'SEEN_ON_NETWORK', 'the ledger itself says what it is');
  for (const body of ['', '{', '[]', '{}', '{"txid":7}', '{"txid":"../policy"}'])
    t.equal((await post(PATH, BEARER, body)).statusCode, 422, body);
  t.equal((await post(PATH, BEARER, { ...forged, merklePath: '0'.repeat(70_000) })).statusCode, 413);
});

t.test('without a token there is no such route', async (t) => {
  const world = await openWorld();
  t.teardown(() => world.close());
  const { post, end } = await serviceOn(world, 'test.example/log');
  t.equal((await post(PATH, BEARER, { txid: '11'.repeat(32) })).statusCode, 404);
  await end();
});

for (let depth = 1; depth <= 6; depth++)
  t.test(`a reorganisation of ${depth} is followed to the new block`, async (t) => {
    const { mine, newest, turn, world } = await opened(t);
    for (let block = 0; block < depth; block++) await mine();
    await turn();
    const first = await newest();
    t.match(first, { status: 'MINED', confirmations: depth });
    await dropBlocks(world.store, depth);
    world.clock.advance(60_000);
    await turn();
    t.match(await newest(), { status: 'SEEN_ON_NETWORK', blockHash: null, merklePath: null });
    await mine();
    await turn();
    const second = await newest();
    t.match(second, { status: 'MINED', confirmations: 1 });
    t.not(second.blockHash, first.blockHash);
  });

/** Confirmations after which a transaction is polled no more. */
const CLOSED = 12;
const FILES = CLOSED + 2;

/** Opens a world with an anchor in each of some blocks: the first of them is polled no more. */
async function closed(t: Test) {
  const opening = await opened(t);
  const { cut, mine, turn, world } = opening;
  await mine();
  for (let file = 2; file <= FILES; file++) {
    await cut(file);
    await mine();
    await turn();
  }
  await turn();
  const first = async () => (await world.transactions())[0]!;
  const { open, record } = await first();
  t.equal(open, undefined, 'nobody asks about it any more');
  t.match(record.transaction, { status: 'MINED', confirmations: CLOSED });
  return { ...opening, first, block: record.transaction!.blockHash };
}

/** Adds blocks that hold none of the transactions that wait. */
async function otherBlocks(world: World, count: number): Promise<void> {
  for (let block = 0; block < count; block++) {
    world.clock.advance(BLOCK_MS);
    await world.ledger.funding(String(10 + block).repeat(20));
  }
}

const countOf = (text: string, reason: string): string | undefined =>
  new RegExp(`anchoring_alarms_total\\{reason="${reason}"[^}]*\\} (\\d+)`).exec(text)?.[1];

t.test('a reorganisation deeper than what is polled is noticed while the service runs', async (t) => {
  const { arc, block, first, metrics, mine, service, turn, world } = await closed(t);
  const told = async () => countOf(await metrics.text(), 'reorganised');
  t.equal(await told(), '0');
  await dropBlocks(world.store, FILES);
  arc.fault = { kind: 'code', code: 503 };
  await otherBlocks(world, FILES + 1);
  await turn();
  const taken = await first();
  const nowhere = { blockHash: null, blockHeight: null, merklePath: null, confirmations: 0 };
  const stale = { status: 'MINED_IN_STALE_BLOCK', ...nowhere };
  t.match(
    taken,
    { open: 1, record: { transaction: stale, evidence: { block: null } } },
    'by the headers alone',
  );
  for (const { record } of await world.transactions()) t.not(record.transaction!.status, 'MINED');
  const ofFirst = async () => (await world.anchors()).filter(({ batch }) => batch === 0).at(-1)!;
  t.match((await ofFirst()).transaction, stale, 'readers know');
  t.equal(await told(), '1');
  await turn();
  t.equal(await told(), '1', 'told once');
  t.same(service.notReady(), [], 'that is no contradiction');

  arc.fault = undefined;
  await mine();
  await turn();
  const again = await first();
  t.match(again.record.transaction, { status: 'MINED', confirmations: 1 });
  t.not(again.record.transaction!.blockHash, block);
  t.match((await ofFirst()).transaction, { status: 'MINED' });
});

t.test('one that came while nothing ran is noticed by the next start, which goes on', async (t) => {
  const { end, first, ledgerOf, mine, world } = await closed(t);
  await end();
  await dropBlocks(world.store, FILES);
  await otherBlocks(world, FILES + 1);
  const next = await serviceOn(world, 'test.example/log', ledgerOf('test'));
  await next.service.start();
  t.match((await first()).record.transaction, { status: 'MINED_IN_STALE_BLOCK' });
  t.same(next.service.notReady(), []);
  t.equal(countOf(await next.metrics.text(), 'reorganised'), '1');
  await mine();
  await next.turn();
  t.match((await first()).record.transaction, { status: 'MINED' });
  await next.end();
});

t.test('one that nobody saw is a contradiction, until a person has the anchors checked again', async (t) => {
  const { end, first, ledgerOf, mine, world } = await closed(t);
  await end();
  const { name } = OWN_COLLECTIONS.chainMarks;
  const marks = await world.store.find(name, { limit: 10 });
  t.equal(marks.length, 1);
  await world.store.remove(
    name,
    marks.map(({ id }) => id),
  );
  await dropBlocks(world.store, FILES);
  await otherBlocks(world, FILES + 1);
  const starting = async () => {
    const made = await serviceOn(world, 'test.example/log', ledgerOf('test'));
    await made.service.start();
    return made;
  };
  for (let starts = 0; starts < 2; starts++) {
    const refusing = await starting();
    t.same(refusing.service.notReady(), ['anchoring']);
    t.match((await first()).record.transaction, { status: 'MINED' });
    await refusing.turn();
    await refusing.end();
  }
  await markRecheck(world.store);
  const going = await starting();
  t.same(going.service.notReady(), []);
  t.match((await first()).record.transaction, { status: 'MINED_IN_STALE_BLOCK' });
  await mine();
  await going.turn();
  t.match((await first()).record.transaction, { status: 'MINED' });
  t.match(await going.metrics.text(), /anchoring_contradicted_batch\{[^}]*\} -1/);
  await going.end();
});

t.test('an anchor below the place where the chains part stays as it is', async (t) => {
  const { block, first, metrics, turn, world } = await closed(t);
  await dropBlocks(world.store, FILES - 1);
  await otherBlocks(world, FILES + 1);
  await turn();
  t.match(await first(), { open: undefined, record: { transaction: { status: 'MINED', blockHash: block } } });
  const others = (await world.transactions()).slice(1);
  for (const { record } of others) t.not(record.transaction!.status, 'MINED');
  t.equal(countOf(await metrics.text(), 'reorganised'), '1', 'of that depth it is told all the same');
});

t.test('headers that end earlier than before take nothing back', async (t) => {
  const { first, metrics, turn, world } = await closed(t);
  await dropBlocks(world.store, FILES);
  world.clock.advance(BLOCK_MS);
  await turn();
  t.match((await first()).record.transaction, { status: 'MINED' });
  t.equal(countOf(await metrics.text(), 'reorganised'), '0');
});

t.test('a store of one network is refused by another', async (t) => {
  const { ledgerOf, world } = await opened(t);
  const made = await serviceOn(world, 'test.example/log', ledgerOf('main'));
  await t.rejects(made.service.start(), {
    code: 'LEDGER_CHANGED',
    message: /ledger test, configured is main.*; set SENTINEL_LEDGER and SENTINEL_NETWORK as they were/,
  });
  await made.end();
});
