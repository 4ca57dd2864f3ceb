/** Tests every answer of an ARC service and the reaction of the adapter. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { MerklePath } from '@bsv/sdk';
import t, { type Test } from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { dropBlocks } from '@sentinel-node/test-kit/fakes';
import type { ArcFault } from '@sentinel-node/test-kit/test-servers';
import { LedgerUnavailableError, type LedgerAnswer } from '../src/index.ts';
import { CODE_MEANINGS, codeMeaning } from '../src/ledger/arc/outcomes.ts';
import { openArc, txidOf } from './ledger-harness.ts';

t.setTimeout(300_000);
const HOUR = 3_600_000;
const TOKEN = 'a-token-of-the-ledger-service';

type World = Awaited<ReturnType<typeof openArc>>;
const nextTx = async ({ ledger, publicKeyHash, spend }: World): Promise<string> =>
  spend({ from: await ledger.funding(publicKeyHash) });

const state = (members: Readonly<Record<string, unknown>>): ArcFault => ({ kind: 'state', state: members });

/** Opens a world with one transaction on the network. */
async function opened(t: Test, ...given: Parameters<typeof openArc> extends [Test, ...infer R] ? R : never) {
  const world = await openArc(t, ...given);
  const extendedTx = await nextTx(world);
  const { txid, status } = await world.ledger.submit(extendedTx);
  t.equal(status, 'SEEN_ON_NETWORK');
  return { ...world, extendedTx, txid };
}

t.test(
  'each code: final ones are REJECTED, the others leave it open; an alarm for those of the table',
  async (t) => {
    const world = await openArc(t);
    const extendedTx = await nextTx(world);
    for (const code of [...CODE_MEANINGS.keys(), 301, 402, 477, 500, 502, 503, 504]) {
      const meaning = codeMeaning(code);
      world.arc.fault = { kind: 'code', code };
      world.alarms.length = 0;
      world.clock.advance(HOUR);
      const answer = await world.ledger.submit(extendedTx).catch((error: unknown) => error);
      if (meaning === 'final') {
        const detail = new RegExp(`ARC ${code} `);
        t.match(answer, { txid: txidOf(extendedTx), status: 'REJECTED', detail }, String(code));
      } else {
        t.ok(answer instanceof LedgerUnavailableError, String(code));
      }
      t.equal(world.alarms.length, meaning === 'alarm' ? 1 : 0, `alarms of ${code}`);
    }
    world.arc.fault = undefined;
    world.clock.advance(HOUR);
    t.equal((await world.ledger.submit(extendedTx)).status, 'SEEN_ON_NETWORK', 'nothing of it stays');
  },
);

t.test('an error that stands in the body of a 400 or 200 counts', async (t) => {
  const world = await openArc(t);
  const extendedTx = await nextTx(world);
  const body = { error: 'transaction failed validation', reason: 'script', txid: 'x', status: 461 };
  for (const code of [400, 200]) {
    world.arc.fault = { kind: 'code', code, body };
    t.match(await world.ledger.submit(extendedTx), {
      status: 'REJECTED',
      detail: /ARC 461 .*validation; script/,
    });
  }
});

t.test('states: each word of the service', async (t) => {
  const world = await opened(t);
  const told = async (txStatus: string): Promise<LedgerAnswer['status'] | undefined> => {
    world.arc.fault = state({ txStatus, extraInfo: 'words' });
    return (await world.ledger.status(world.txid))?.status;
  };
  t.equal(await told('STORED'), 'STORED');
  t.equal(await told('SEEN_MULTIPLE_NODES'), 'SEEN_ON_NETWORK');
  t.equal(await told('UNKNOWN'), undefined);
  t.same(world.alarms, []);
  t.equal(await told('REJECTED'), 'REJECTED');
  t.same(world.alarms, []);
  for (const word of ['DOUBLE_SPEND_ATTEMPTED', 'SEEN_IN_ORPHAN_MEMPOOL', 'MINED_IN_STALE_BLOCK'] as const) {
    t.equal(await told(word), word);
    t.match(world.alarms.pop(), { reason: 'status', txid: world.txid, detail: `${word}: words` });
  }
  t.equal(await told('A_NEW_WORD'), 'RECEIVED');
  t.match(world.alarms.pop(), { reason: 'status' });
});

t.test('an answer that cannot be used is none, with an alarm', async (t) => {
  const world = await opened(t);
  const bad: Readonly<Record<string, ArcFault>> = {
    'of another transaction': state({ txid: '11'.repeat(32) }),
    'without a state': state({ txStatus: undefined }),
    'a number for a state': state({ txStatus: 7 }),
    'no JSON': { kind: 'text', text: '<html>' },
    'half of it': { kind: 'text', text: '{"txid":"' },
    'an array': { kind: 'text', text: '[]' },
    null: { kind: 'text', text: 'null' },
    '100 MB': { kind: 'large', bytes: 100_000_000 },
  };
  for (const [title, fault] of Object.entries(bad)) {
    world.clock.advance(HOUR);
    world.alarms.length = 0;
    world.arc.fault = fault;
    await t.rejects(world.ledger.status(world.txid), LedgerUnavailableError, title);
    matchList(t, world.alarms, [{ reason: 'answer' }], title);
  }
  world.clock.advance(HOUR);
  world.arc.fault = { kind: 'code', code: 404, body: 'no such page' };
  await t.rejects(world.ledger.status(world.txid), LedgerUnavailableError, 'a 404 of another server');
});

t.test('delay, hanging and cut connections', async (t) => {
  // Only a call that hangs takes so long: a busy machine takes longer than a moment for the others.
  const world = await opened(t, [{}], { requestMs: 5_000 });
  for (const kind of ['hang', 'cut'] as const) {
    world.arc.fault = { kind };
    world.clock.advance(HOUR);
    await t.rejects(world.ledger.status(world.txid), LedgerUnavailableError, kind);
  }
  let release = () => undefined as void;
  world.arc.fault = { kind: 'delay', until: new Promise<void>((resolve) => (release = resolve)) };
  world.clock.advance(HOUR);
  const asked = world.ledger.status(world.txid);
  release();
  t.match(await asked, { status: 'SEEN_ON_NETWORK' });
});

t.test('a clock that was ahead at a failure, and is set back, makes no wait longer', async (t) => {
  const world = await opened(t);
  const before = world.clock.now();
  world.clock.advance(1_000 * HOUR);
  world.arc.fault = { kind: 'cut' };
  await t.rejects(world.ledger.status(world.txid), LedgerUnavailableError);
  world.arc.fault = undefined;
  world.clock.set(before);
  await t.rejects(world.ledger.status(world.txid), /asked again in [12] s/);
  world.clock.advance(2_000);
  t.match(await world.ledger.status(world.txid), { status: 'SEEN_ON_NETWORK' });
});

t.test(
  'after a failure the endpoint is left alone, ever longer, and as long as Retry-After says',
  async (t) => {
    const world = await opened(t);
    const calls = async (seconds: number): Promise<number> => {
      const before = world.arc.requests.length;
      for (let second = 0; second < seconds; second++, world.clock.advance(1_000))
        await world.ledger.status(world.txid).catch(() => undefined);
      return world.arc.requests.length - before;
    };
    world.arc.fault = { kind: 'code', code: 503 };
    t.equal(await calls(63), 6, 'after 0, 1, 3, 7, 15, 31 s');
    world.arc.fault = undefined;
    world.clock.advance(HOUR);
    t.equal(await calls(5), 5, 'an answer ends it');
    const retryAfter = (value: string): ArcFault =>
      ({
        ...{ kind: 'code', code: 429, headers: { 'retry-after': value } },
      }) as const;
    world.arc.fault = retryAfter('30');
    t.equal(await calls(30), 1);
    world.clock.advance(HOUR);
    world.arc.fault = retryAfter(new Date(world.clock.now() + 40_000).toUTCString());
    t.equal(await calls(39), 1);
    world.clock.advance(HOUR);
    world.arc.fault = retryAfter('999999999');
    t.equal(await calls(1), 1);
    world.arc.fault = undefined;
    world.clock.advance(600_000);
    t.equal(await calls(1), 1, 'ten minutes at most');
  },
);

t.test('the next endpoint is asked when one gives nothing of use', async (t) => {
  const world = await openArc(t, [{}, {}]);
  const [first, second] = world.servers;
  const extendedTx = await nextTx(world);
  const txid = txidOf(extendedTx);
  first!.fault = { kind: 'code', code: 500 };
  t.match(await world.ledger.submit(extendedTx), { txid, status: 'SEEN_ON_NETWORK' });
  world.clock.advance(HOUR);
  first!.fault = { kind: 'large', bytes: 1_000_000 };
  t.match(await world.ledger.status(txid), { status: 'SEEN_ON_NETWORK' });
  t.match(await world.ledger.policy(), { bytes: Number });
  world.clock.advance(HOUR);
  first!.fault = state({ txStatus: 'REJECTED' });
  t.match(await world.ledger.status(txid), { status: 'SEEN_ON_NETWORK' }, 'one alone does not refuse');
  second!.fault = state({ txStatus: 'REJECTED' });
  t.match(await world.ledger.status(txid), { status: 'REJECTED' }, 'all do');
  second!.fault = first!.fault = { kind: 'code', code: 502 };
  await t.rejects(world.ledger.status(txid), { code: 'LEDGER_UNAVAILABLE', message: /502 .*; .*502/ });
});

t.test('a refusal counts when every endpoint refuses, not while another does not answer', async (t) => {
  const world = await opened(t, [{}, {}]);
  const [first, second] = world.servers;
  const rejected = state({ txStatus: 'REJECTED', extraInfo: 'words' });
  const refuses = { kind: 'code', code: 461 } as const;
  for (const [refusing, away] of [
    [first!, second!],
    [second!, first!],
  ] as const)
    for (const fault of [
      { kind: 'code', code: 503 },
      { kind: 'code', code: 429, headers: { 'retry-after': '600' } },
    ] as const) {
      world.clock.advance(HOUR);
      away.fault = fault;
      refusing.fault = rejected;
      const waits = { code: 'LEDGER_UNAVAILABLE', message: /REJECTED: words/ };
      await t.rejects(world.ledger.status(world.txid), waits);
      refusing.fault = refuses;
      await t.rejects(
        world.ledger.submit(world.extendedTx),
        LedgerUnavailableError,
        'while it is left alone',
      );
    }
  world.clock.advance(HOUR);
  first!.fault = second!.fault = refuses;
  t.match(await world.ledger.submit(world.extendedTx), { status: 'REJECTED' }, 'all do');
  const unknown = state({ txStatus: 'UNKNOWN' });
  for (const [one, other] of [
    [rejected, unknown],
    [unknown, rejected],
  ] as const) {
    first!.fault = one;
    second!.fault = other;
    t.equal(await world.ledger.status(world.txid), undefined, 'it is sent again, and all are asked');
  }
  first!.fault = rejected;
  second!.fault = state({ txStatus: 'MINED', merklePath: '' });
  t.match(await world.ledger.status(world.txid), { status: 'SEEN_ON_NETWORK' }, 'another has it');
});

for (const word of [
  ...['REJECTED', 'DOUBLE_SPEND_ATTEMPTED', 'SEEN_IN_ORPHAN_MEMPOOL', 'MINED_IN_STALE_BLOCK'],
  'A_NEW_WORD',
])
  t.test(`${word} of one service alone decides nothing`, async (t) => {
    const world = await opened(t, [{}, {}]);
    const [first, second] = world.servers;
    const said = state({ txStatus: word, extraInfo: 'words' });
    const seen = state({ txStatus: 'SEEN_ON_NETWORK' });
    for (const [one, other] of [
      [first!, second!],
      [second!, first!],
    ] as const) {
      one.fault = said;
      other.fault = seen;
      world.alarms.length = 0;
      const seenThere = { txid: world.txid, status: 'SEEN_ON_NETWORK' };
      t.match(await world.ledger.status(world.txid), seenThere, 'asked');
      t.match(await world.ledger.submit(world.extendedTx), seenThere, 'sent');
      const isAlarm = one === first && word !== 'REJECTED';
      t.equal(world.alarms.length, isAlarm ? 2 : 0, 'it is told when it was heard');
      other.fault = state({ txStatus: 'MINED', merklePath: '' });
      t.match(await world.ledger.status(world.txid), { status: 'SEEN_ON_NETWORK' }, 'it has it');
    }
  });

for (const word of ['DOUBLE_SPEND_ATTEMPTED', 'SEEN_IN_ORPHAN_MEMPOOL', 'MINED_IN_STALE_BLOCK'] as const)
  t.test(`${word} counts when every service refuses, not while another does not answer`, async (t) => {
    const world = await opened(t, [{}, {}]);
    const [first, second] = world.servers;
    const said = state({ txStatus: word, extraInfo: 'words' });
    for (const [one, other] of [
      [first!, second!],
      [second!, first!],
    ] as const) {
      world.clock.advance(HOUR);
      one.fault = said;
      other.fault = { kind: 'code', code: 503 };
      const waits = { code: 'LEDGER_UNAVAILABLE', message: new RegExp(`${word}: words`) };
      await t.rejects(world.ledger.status(world.txid), waits);
      world.clock.advance(HOUR);
      other.fault = state({ txStatus: 'UNKNOWN' });
      t.equal(await world.ledger.status(world.txid), undefined, 'it is sent again, to all');
      other.fault = state({ txStatus: 'REJECTED' });
      t.match(await world.ledger.status(world.txid), { status: word }, 'the milder word of the two');
    }
    first!.fault = second!.fault = said;
    t.match(await world.ledger.status(world.txid), { status: word }, 'all do');
  });

t.test('a refused submission is tried at the next endpoint', async (t) => {
  const world = await openArc(t, [{}, {}]);
  world.arc.fault = { kind: 'code', code: 461 };
  t.match(await world.ledger.submit(await nextTx(world)), { status: 'SEEN_ON_NETWORK' });
});

t.test('the token goes to its endpoint alone, and into no word', async (t) => {
  const world = await opened(t, [{ token: TOKEN }, {}]);
  const [first, second] = world.servers;
  first!.fault = { kind: 'code', code: 409, body: { title: 'no', detail: `bad ${TOKEN}` } };
  await world.ledger.status(world.txid);
  t.equal(first!.requests[0]?.headers['authorization'], `Bearer ${TOKEN}`);
  t.equal(second!.requests[0]?.headers['authorization'], undefined);
  second!.fault = { kind: 'code', code: 409 };
  world.clock.advance(HOUR);
  const error = await world.ledger.status(world.txid).catch((error: unknown) => error);
  t.notMatch(`${JSON.stringify(world.alarms)} ${(error as Error).stack}`, TOKEN);
});

t.test('without the right token nothing is sent', async (t) => {
  const world = await openArc(t, [{ token: TOKEN }]);
  const wrong = await openArc(t, [{}], {
    endpoints: [{ url: world.arc.url, api: 'arc', token: 'another' }],
  });
  await t.rejects(wrong.ledger.submit(await nextTx(world)), LedgerUnavailableError);
  matchList(t, wrong.alarms, [{ reason: 'code', detail: /^401/ }]);
});

t.test('a redirect is not followed', async (t) => {
  let reached = 0;
  const trap = createServer((_, response) => {
    reached++;
    response.end('{}');
  });
  await new Promise<void>((resolve) => trap.listen(0, '127.0.0.1', resolve));
  t.teardown(() => trap.close());
  const location = `http://127.0.0.1:${(trap.address() as AddressInfo).port}/v1/tx`;
  const world = await openArc(t, [{ token: TOKEN }]);
  const extendedTx = await nextTx(world);
  for (const code of [301, 302, 303, 307, 308]) {
    world.arc.fault = { kind: 'code', code, headers: { location } };
    world.clock.advance(HOUR);
    await t.rejects(world.ledger.submit(extendedTx), LedgerUnavailableError, String(code));
  }
  t.equal(reached, 0);
  t.equal(world.alarms.length, 5);
});

t.test('a fee that would empty the funds is not paid', async (t) => {
  const world = await openArc(t);
  const fee = (satoshis: unknown, bytes: unknown): ArcFault => ({
    kind: 'text',
    text: JSON.stringify({ policy: { miningFee: { satoshis, bytes } } }),
  });
  for (const [satoshis, bytes] of [
    [1_001, 1_000],
    [1, 0],
    [-1, 1_000],
    [0.5, 1_000],
    ['1', 1_000],
    [undefined, 1_000],
  ]) {
    world.arc.fault = fee(satoshis, bytes);
    world.clock.advance(HOUR);
    await t.rejects(world.ledger.policy(), LedgerUnavailableError, `${satoshis}/${bytes}`);
  }
  world.arc.fault = fee(1_000, 1_000);
  world.clock.advance(HOUR);
  t.same(await world.ledger.policy(), { satoshis: 1_000, bytes: 1_000 });
});

t.test('the highest fee of several endpoints is paid: a lower one of another would be refused', async (t) => {
  const world = await openArc(t, [{}, {}, {}]);
  const [first, second, third] = world.servers;
  const fee = (satoshis: number): ArcFault => ({
    kind: 'text',
    text: JSON.stringify({ policy: { miningFee: { satoshis, bytes: 1_000 } } }),
  });
  first!.fault = fee(0);
  second!.fault = fee(70);
  third!.fault = { kind: 'cut' };
  t.same(await world.ledger.policy(), { satoshis: 70, bytes: 1_000 });
  second!.fault = { kind: 'cut' };
  world.clock.advance(HOUR);
  t.same(await world.ledger.policy(), { satoshis: 0, bytes: 1_000 }, 'what is known');
  first!.fault = { kind: 'cut' };
  world.clock.advance(HOUR);
  await t.rejects(world.ledger.policy(), /does not answer.*; .*does not answer.*; .*does not answer/);
});

t.test('the callback’s address and token go with a submission, or none', async (t) => {
  const callback = { url: 'https://sentinel.example/ledger/callback', token: 'callback token' };
  const world = await opened(t, [{}], { callback });
  t.match(world.arc.requests[0]?.headers, {
    'x-callbackurl': callback.url,
    'x-callbacktoken': callback.token,
    'x-fullstatusupdates': 'true',
  });
  t.equal((await opened(t)).arc.requests[0]?.headers['x-callbackurl'], undefined);
});

/** Mines a block of five; the test's transaction is the second, and the last one's path does not contain it. */
async function inBlock(t: Test) {
  const world = await opened(t);
  const sent = [world.extendedTx];
  for (let more = 0; more < 4; more++) {
    sent.push(await world.spend({ from: [world.changeOf(sent.at(-1)!)] }));
    await world.ledger.submit(sent.at(-1)!);
  }
  await world.mine();
  const [, txid = '', , , last = ''] = sent.map(txidOf);
  return { ...world, txid, last };
}

t.test('MINED is believed by its proof only', async (t) => {
  const world = await inBlock(t);
  const right = await world.ledger.status(world.txid);
  const other = await world.ledger.status(world.last);
  t.equal(right?.status, 'MINED');
  const path = right!.merklePath!;
  const changed = `${path.slice(0, -2)}${path.endsWith('00') ? '01' : '00'}`;
  const elsewhere = MerklePath.fromHex(path);
  elsewhere.blockHeight = 0;
  const contradicted: Readonly<Record<string, unknown>> = {
    'a foreign path': changed,
    'the right path of another transaction': other!.merklePath,
    'the path of another height': elsewhere.toHex(),
    'no path': 'zz',
    'half a path': path.slice(0, -2),
    'a very long path': '00'.repeat(50_000),
  };
  for (const [title, merklePath] of Object.entries(contradicted)) {
    world.arc.fault = state({ merklePath });
    world.alarms.length = 0;
    t.same(await world.ledger.status(world.txid), { txid: world.txid, status: 'SEEN_ON_NETWORK' }, title);
    matchList(t, world.alarms, [{ reason: 'proof', txid: world.txid }], title);
  }
  const above = MerklePath.fromHex(path);
  above.blockHeight = 1_000;
  world.alarms.length = 0;
  for (const [title, merklePath] of Object.entries({ none: '', null: null, later: above.toHex() })) {
    world.arc.fault = state({ merklePath });
    t.same(await world.ledger.status(world.txid), { txid: world.txid, status: 'SEEN_ON_NETWORK' }, title);
  }
  t.same(world.alarms, [], 'what can still be shown is no alarm');
  world.arc.fault = state({ blockHash: '11'.repeat(32), blockHeight: 77, txStatus: 'IMMUTABLE' });
  t.same(await world.ledger.status(world.txid), right, 'block and height come from the header');
  world.arc.fault = state({ merklePath: path.toUpperCase() });
  t.same(await world.ledger.status(world.txid), right);
});

t.test('of a path of several transactions the own part is taken', async (t) => {
  const world = await inBlock(t);
  const own = await world.ledger.status(world.txid);
  const compound = MerklePath.fromHex(own!.merklePath!);
  compound.combine(MerklePath.fromHex((await world.ledger.status(world.last))!.merklePath!));
  world.arc.fault = state({ merklePath: compound.toHex() });
  const found = await world.ledger.status(world.txid);
  t.match(found, { status: 'MINED', blockHash: own!.blockHash });
  t.equal(MerklePath.fromHex(found!.merklePath!).path[0]!.length, 2, 'itself and its neighbour');
  t.same(world.alarms, []);
});

t.test('a service that does not hear of a reorganisation is contradicted, until it does', async (t) => {
  const world = await opened(t);
  await world.mine();
  const before = await world.ledger.status(world.txid);
  const { merklePath } = before!;
  await dropBlocks(world.dev.store, 1);
  t.match(await world.ledger.status(world.txid), { status: 'SEEN_ON_NETWORK' }, 'the header is gone');
  // Another transaction beside it changes the path in the new block.
  await world.dev.ledger.submit(await world.spend({ from: [world.changeOf(world.extendedTx)] }));
  await world.mine();
  world.arc.fault = state({ txStatus: 'MINED', merklePath });
  t.match(await world.ledger.status(world.txid), { status: 'SEEN_ON_NETWORK' });
  matchList(t, world.alarms, [{ reason: 'proof' }]);
  world.arc.fault = undefined;
  const after = await world.ledger.status(world.txid);
  t.equal(after?.status, 'MINED', 'mined twice: the block of the best chain counts');
  t.not(after?.blockHash, before?.blockHash);
  world.arc.fault = state({ txStatus: 'SEEN_ON_NETWORK', merklePath: '' });
  t.match(
    await world.ledger.status(world.txid),
    { status: 'SEEN_ON_NETWORK' },
    'a state that goes back is told',
  );
});

t.test('one endpoint that contradicts does not hide the proof of another', async (t) => {
  const world = await opened(t, [{}, {}]);
  await world.mine();
  world.arc.fault = state({ merklePath: '00' });
  t.match(await world.ledger.status(world.txid), { status: 'MINED', merklePath: String });
  matchList(t, world.alarms, [{ reason: 'proof' }]);
});

t.test('without headers nothing is mined', async (t) => {
  const headers = {
    firstHeight: 0,
    ...{ start: () => Promise.resolve(), stop: () => Promise.resolve() },
    height: () => Promise.reject(new LedgerUnavailableError('no header is known')),
    header: () => Promise.reject(new LedgerUnavailableError('no header is known')),
  };
  const world = await opened(t, [{}], { headers });
  await world.mine();
  await t.rejects(world.ledger.status(world.txid), LedgerUnavailableError);
  await t.rejects(world.ledger.height(), LedgerUnavailableError);
});
