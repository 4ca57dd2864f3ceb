/** Tests the offers to witnesses: honest ones, unreachable ones, and ones that answer wrongly. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { setImmediate } from 'node:timers/promises';
import t, { type Test } from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import {
  AnchorRecordSchema,
  checkWitnesses,
  formatVerifierKey,
  parseCheckpoint,
  POLICY_LIMITS,
  quorumOf,
  type WitnessPolicy,
} from '@sentinel-node/contracts';
import { compileChecker, ConfigError, verifyEd25519 } from '@sentinel-node/platform';
import { OWN_COLLECTIONS, type CosignatureDocument } from '../src/collections.ts';
import { readWitnessPolicy } from '../src/index.ts';
import { ANCHORING_LIMITS } from '../src/limits.ts';
import { callWitness } from '../src/witnesses/witness-call.ts';
import { fakeWitness, policyOf, witnessTime } from './fake-witness.ts';
import { fileId, LOG_KEY, openWorld, serviceOn, type World } from './support.ts';

const ORIGIN = 'test.example/log';
const isRecord = compileChecker(AnchorRecordSchema);

async function witnessed(t: Test, policy: WitnessPolicy, given?: World) {
  const world = given ?? (await openWorld());
  if (given === undefined) t.teardown(() => world.close());
  const { service, metrics, turn, get, end } = await serviceOn(world, ORIGIN, world.ledger, {
    witnessPolicy: policy,
  });
  witnessTime.clock = world.clock;
  await service.start();
  let batches = (await world.cuts()).length;
  const cut = async (): Promise<void> => {
    await world.deliver({ file: fileId(1), from: batches++, count: 1, acceptedAt: world.clock.now() });
    world.clock.advance(31_000);
    await turn();
  };
  const note = async () => parseCheckpoint((await get('/checkpoint')).body)!;
  const cosigned = async () =>
    (await checkWitnesses(policy, await note(), verifyEd25519, { closedAt: undefined, now: Infinity })).times;
  const stored = async () =>
    (await world.store.find(OWN_COLLECTIONS.cosignatures.name, { limit: 1_000 })) as CosignatureDocument[];
  const metric = async (name: string): Promise<number> => {
    const line = (await metrics.text())
      .split('\n')
      .find((one) => one.startsWith(`sentinel_anchoring_witness_${name}`));
    return Number(line?.split(' ').at(-1));
  };
  return { world, turn, get, end, cut, note, cosigned, stored, metric };
}

t.test('every checkpoint is cosigned, served and published', async (t) => {
  const [one, two] = [await fakeWitness(t, 'w/1'), await fakeWitness(t, 'w/2')];
  const policy = policyOf(one.line, two.line, 'group both all w/1 w/2\n', 'quorum both\n');
  const { cut, cosigned, end, get, note, turn, world, stored, metric } = await witnessed(t, policy);
  t.same(one.offers, [], 'an empty log is not offered');
  for (let batch = 0; batch < 3; batch++) await cut();
  await turn();
  t.equal((await note()).size, 3);
  t.equal(quorumOf(policy, new Set((await cosigned()).keys())), 'REACHED');
  t.same(
    one.offers.map(({ oldSize, path }) => [oldSize, path.length]),
    [
      [0, 0],
      [1, 1],
      [2, 1],
    ],
  );
  t.equal((await stored()).length, 6);
  t.ok((await stored()).every(({ waiting }) => waiting === undefined));
  t.equal(await metric('behind_batches{witness="w/1",service="anchoring"}'), 0);
  const records = await world.anchors();
  t.ok(records.every((record) => isRecord.check(record)));
  for (let batch = 0; batch < 3; batch++) {
    const of = records.filter((record) => record.batch === batch);
    t.same(
      of.map(({ rev }) => rev),
      of.map((_, at) => at + 1),
      'each record once, in order',
    );
    t.equal(of.at(-1)?.evidence?.cosignatures?.length, 2);
  }
  t.match((await get('/batches/1/proof')).body, /\n— w\/1 .*\n— w\/2 .*\n$/);
  await world.ledger.mine();
  world.clock.advance(60_000);
  await turn();
  matchWhole(t, (await world.anchors()).at(-1), {
    transaction: { status: 'MINED' },
    evidence: { cosignatures: [/^— w/, /^— w/] },
  });
  const offers = one.offers.length;
  world.clock.advance(ANCHORING_LIMITS.witnessRenewMs);
  const before = (await stored()).filter(({ batch }) => batch === 2);
  await turn();
  t.equal(one.offers.length, offers + 1, 'the newest is cosigned again after an hour');
  matchWhole(t, one.offers.at(-1), { oldSize: 3, path: [] });
  const renewed = (await stored()).filter(({ batch }) => batch === 2);
  t.equal(renewed.length, before.length);
  for (const [at, { time, rev }] of renewed.entries())
    t.ok(time > before[at]!.time && rev > before[at]!.rev, 'of the same batch, with a later time');
  await end();
});

t.test('a witness that is away delays nothing, and catches up', async (t) => {
  const witness = await fakeWitness(t);
  const policy = policyOf(witness.line, `quorum ${witness.name}\n`);
  const { cut, cosigned, end, note, stored, turn, world, metric } = await witnessed(t, policy);
  await cut();
  t.equal((await cosigned()).size, 1);
  witness.answer((_, answer) => void answer.writeHead(503).end());
  for (let batch = 1; batch < 5; batch++) await cut();
  t.equal((await world.transactions()).length, 5, 'anchors go on');
  t.ok((await metric('behind_batches')) >= 3);
  t.ok((await metric('behind_seconds')) >= 90);
  const before = await metric('behind_seconds');
  world.clock.advance(60_000);
  t.equal(await metric('behind_seconds'), before + 60, 'by the clock, also while no step looks');
  world.clock.advance(-60_000);
  world.clock.advance(ANCHORING_LIMITS.quorumWaitMs);
  t.equal((await note()).size, 5);
  t.equal((await cosigned()).size, 0, 'without its quorum, and shown so');
  witness.answer();
  world.clock.advance(ANCHORING_LIMITS.witnessBackoff.longestMs);
  await turn();
  t.equal((await cosigned()).size, 1);
  t.equal((await stored()).length, 5, 'every checkpoint has its cosignature');
  await turn();
  t.equal(await metric('behind_batches'), 0);
  t.equal(await metric('behind_seconds'), 0);
  await end();
});

t.test('a cosignature that is not renewed counts as behind, while no batch is made', async (t) => {
  const witness = await fakeWitness(t);
  const { cut, end, turn, world, metric } = await witnessed(t, policyOf(witness.line, 'quorum none\n'));
  await cut();
  await turn();
  witness.answer((_, answer) => void answer.destroy());
  world.clock.advance(ANCHORING_LIMITS.witnessRenewMs);
  await turn();
  t.equal(await metric('behind_seconds'), 0, 'it is due now');
  for (let waited = 0; waited < 4; waited++) {
    world.clock.advance(ANCHORING_LIMITS.witnessRenewMs / 2);
    await turn();
  }
  t.equal(await metric('behind_batches'), 0, 'it has cosigned every batch');
  t.equal(await metric('behind_seconds'), (2 * ANCHORING_LIMITS.witnessRenewMs) / 1_000);
  witness.answer();
  world.clock.advance(ANCHORING_LIMITS.witnessBackoff.longestMs);
  await turn();
  t.equal(await metric('behind_seconds'), 0);
  await end();
});

t.test('a cosignature of a time to come is replaced once the clocks are right', async (t) => {
  const one = await fakeWitness(t);
  const policy = policyOf(one.line, `quorum ${one.name}\n`);
  const { cut, end, note, stored, turn, world } = await witnessed(t, policy);
  await cut();
  await turn();
  const before = world.clock.now();
  world.clock.set(before + 365 * 86_400_000);
  await turn();
  world.clock.set(before);
  await turn();
  const counted = async () =>
    (
      await checkWitnesses(policy, await note(), verifyEd25519, {
        closedAt: undefined,
        now: world.clock.now(),
      })
    ).times;
  t.equal((await counted()).size, 0, 'of a year later');
  world.clock.advance(ANCHORING_LIMITS.witnessRenewMs);
  await turn();
  t.equal((await counted()).size, 1);
  await turn();
  t.strictSame(
    (await stored()).map(({ waiting }) => waiting),
    [undefined],
    'published again',
  );
  await end();
});

t.test('a clock that was ahead, and is set back, delays neither a renewal nor the next try', async (t) => {
  const witness = await fakeWitness(t);
  const { cut, end, turn, world } = await witnessed(t, policyOf(witness.line, 'quorum none\n'));
  await cut();
  await turn();
  const [before, { length: offers }] = [world.clock.now(), witness.offers];
  const renewedAt = async (ahead: number) => {
    world.clock.set(before + ahead);
    await turn();
    world.clock.set(before);
    await turn();
    world.clock.advance(ANCHORING_LIMITS.witnessRenewMs);
    await turn();
    return witness.offers.length - offers;
  };
  t.equal(await renewedAt(365 * 86_400_000), 2, 'signed while it was ahead, and an hour later');
  witness.answer((_, answer) => void answer.destroy());
  t.equal(await renewedAt(2 * 365 * 86_400_000), 4, 'away while it was ahead, and tried again');
  await end();
});

t.test('a cosignature that anchoring does not have counts as behind since its batch', async (t) => {
  const witness = await fakeWitness(t);
  const policy = policyOf(witness.line, 'quorum none\n');
  const before = await witnessed(t, policy);
  await before.cut();
  await before.turn();
  await before.end();
  const { world } = before;
  const [one] = await before.stored();
  await world.store.remove(OWN_COLLECTIONS.cosignatures.name, [one!.id]);
  witness.answer(({ oldSize }, answer) =>
    oldSize === 1 ? void answer.destroy() : void answer.writeHead(409).end('1\n'),
  );
  const { turn, metric, end } = await witnessed(t, policy, world);
  world.clock.advance(7_200_000);
  await turn();
  const { cut } = (await world.cuts())[0]!;
  t.equal(await metric('behind_batches'), 0, 'the witness says that it has seen it');
  t.equal(await metric('behind_seconds'), (world.clock.now() - cut.closedAt) / 1_000);
  await end();
});

t.test('the newest checkpoint waits a little for its quorum', async (t) => {
  const witness = await fakeWitness(t);
  const policy = policyOf(witness.line, `quorum ${witness.name}\n`);
  const { cut, cosigned, end, note, get, world } = await witnessed(t, policy);
  await cut();
  witness.answer((_, answer) => void answer.destroy());
  await cut();
  t.equal((await note()).size, 1, 'the one before has it');
  t.equal((await cosigned()).size, 1);
  t.equal((await get('/batches/1/proof')).statusCode, 404, 'proofs lead to what is shown');
  world.clock.advance(ANCHORING_LIMITS.quorumWaitMs);
  t.equal((await note()).size, 2);
  t.equal((await get('/batches/1/proof')).statusCode, 200);
  await end();
});

t.test('after a restart the witness tells where it is', async (t) => {
  const witness = await fakeWitness(t);
  const policy = policyOf(witness.line, `quorum ${witness.name}\n`);
  const first = await witnessed(t, policy);
  for (let batch = 0; batch < 3; batch++) await first.cut();
  await first.turn();
  await first.end();
  const offers = witness.offers.length;
  const { cut, end, stored } = await witnessed(t, policy, first.world);
  await cut();
  t.same(
    witness.offers.slice(offers).map(({ oldSize }) => oldSize),
    [0, 3],
  );
  t.equal((await stored()).length, 4);
  await end();
});

t.test('a witness that comes late is offered the newest only when it is far behind', async (t) => {
  const late = await fakeWitness(t);
  const { world, cut, end } = await witnessed(t, policyOf('quorum none\n'));
  for (let batch = 0; batch < ANCHORING_LIMITS.witnessCatchUpBatches + 1; batch++) await cut();
  await end();
  const next = await witnessed(t, policyOf(late.line, 'quorum none\n'), world);
  await next.turn();
  t.equal(late.size(), ANCHORING_LIMITS.witnessCatchUpBatches + 1);
  t.equal(late.offers.length, 1);
  await next.end();
});

t.test('what is not a cosignature of this checkpoint is an alarm, and not kept', async (t) => {
  const [witness, stranger] = [await fakeWitness(t), await fakeWitness(t)];
  const policy = policyOf(witness.line, `quorum ${witness.name}\n`);
  const { cut, cosigned, end, stored, world, metric, turn } = await witnessed(t, policy);
  const answers: Parameters<typeof witness.answer>[0][] = [
    ({ signed }, answer) => answer.end(stranger.lineFor(signed.text)),
    ({ signed }, answer) => answer.end(witness.lineFor(signed.text.replace('\n1\n', '\n2\n'))),
    ({ signed }, answer) => answer.end(witness.lineFor(signed.text) + witness.lineFor('another\n')),
    ({ signed }, answer) => answer.end(`\n${witness.lineFor(signed.text)}`),
    ({ signed }, answer) => answer.end(witness.lineFor(signed.text, world.clock.now())),
    ({ signed }, answer) => answer.end(witness.lineFor(signed.text, 1_500_000_000)),
    (_, answer) => answer.end(''),
    (_, answer) => answer.end('signed, honestly\n'),
  ];
  for (const [at, by] of answers.entries()) {
    witness.answer(by);
    if (at === 0) await cut();
    world.clock.advance(ANCHORING_LIMITS.witnessBackoff.longestMs);
    if (at > 0) await turn();
    t.equal(
      await metric('offers_total{witness="witness.example/w1",outcome="invalid",service="anchoring"}'),
      at + 1,
    );
  }
  t.same(await stored(), []);
  t.equal((await cosigned()).size, 0);
  t.equal((await world.transactions()).length, 1);
  await end();
});

t.test('a witness that never agrees, or has seen more, is asked less and less', async (t) => {
  const witness = await fakeWitness(t);
  const policy = policyOf(witness.line, `quorum ${witness.name}\n`);
  const { cut, end, world, metric, turn, stored } = await witnessed(t, policy);
  const size =
    (of: (old: number) => number | string): Parameters<typeof witness.answer>[0] =>
    ({ oldSize }, answer) =>
      answer.writeHead(409).end(`${of(oldSize)}\n`);
  const outcome = (of: string) =>
    metric(`offers_total{witness="witness.example/w1",outcome="${of}",service="anchoring"}`);
  witness.answer((_, answer) => void answer.writeHead(503).end());
  await cut();
  await cut();
  const asked = async (by: Parameters<typeof witness.answer>[0]): Promise<number> => {
    witness.answer(by);
    const before = witness.offers.length;
    world.clock.advance(ANCHORING_LIMITS.witnessBackoff.longestMs);
    await turn();
    return witness.offers.length - before;
  };
  t.equal(await asked(size(() => 7)), 1);
  t.equal(await outcome('ahead'), 1, 'the log was cut short, or there are two');
  t.equal(await asked(size((old) => old)), 1);
  t.equal(await asked(size((old) => (old === 1 ? 2 : 1))), ANCHORING_LIMITS.witnessConflicts + 1);
  t.equal(await asked(size(() => '01')), 1);
  for (const status of [400, 403, 404, 422])
    t.equal(await asked((_, answer) => answer.writeHead(status).end()), 1);
  t.equal(await outcome('refused'), 7);
  t.same(await stored(), []);
  witness.answer();
  world.clock.advance(ANCHORING_LIMITS.witnessBackoff.longestMs);
  await turn();
  t.equal((await stored()).length, 2, 'it goes on once the witness does');
  await end();
});

t.test('an answer without end, none at all, and another address', async (t) => {
  const witness = await fakeWitness(t);
  const offer = { oldSize: 0, path: [], checkpoint: `o\n1\n${'A'.repeat(43)}=\n\n— o ${'A'.repeat(92)}\n` };
  const url = witness.url.slice(0, -1);
  const call = (to = url, timeoutMs = 60_000, signal = new AbortController().signal) =>
    callWitness(to, offer, signal, timeoutMs);
  let sent = 0;
  witness.answer((_, answer) => {
    const chunk = Buffer.alloc(65_536, 'x');
    const more = (): void => {
      while (sent < 100_000_000 && !answer.destroyed) {
        sent += chunk.length;
        if (!answer.write(chunk)) return void answer.once('drain', more);
      }
      answer.end();
    };
    more();
  });
  t.match(await call(), { kind: 'REFUSED', why: /above 65536 bytes/ });
  t.ok(sent < 100_000_000, `${sent} bytes were sent`);
  witness.answer(() => undefined);
  t.match(await call(url, 50), { kind: 'AWAY', why: /timeout/ });
  const ending = new AbortController();
  const hanging = call(url, 60_000, ending.signal);
  ending.abort();
  t.match(await hanging, { kind: 'AWAY' });
  witness.answer((_, answer) => answer.writeHead(307, { location: witness.url }).end());
  t.match(await call(), { kind: 'AWAY', why: /redirect/ });
  t.match(await call('http://127.0.0.1:1'), { kind: 'AWAY' });
});

t.test('cosignatures of another log of the same size are not shown', async (t) => {
  const witness = await fakeWitness(t);
  const policy = policyOf(witness.line, `quorum ${witness.name}\n`);
  const { cut, cosigned, end, stored, world } = await witnessed(t, policy);
  await cut();
  const [before] = await stored();
  await world.store.update(
    OWN_COLLECTIONS.cosignatures.name,
    { ...before!, root: '0'.repeat(64), rev: before!.rev + 1 },
    before!.rev,
  );
  t.equal((await cosigned()).size, 0);
  await end();
});

t.test('a witness that hangs keeps nobody waiting, a stop neither', async (t) => {
  const [hanging, other] = [await fakeWitness(t, 'w/1'), await fakeWitness(t, 'w/2')];
  const policy = policyOf(hanging.line, other.line, 'quorum none\n');
  const { world, cut, end } = await witnessed(t, policyOf('quorum none\n'));
  await cut();
  await end();
  const asked = new Promise<void>((resolve) => hanging.answer(() => resolve()));
  const { service, tasks } = await serviceOn(world, ORIGIN, world.ledger, { witnessPolicy: policy });
  await service.start();
  const turns = tasks.map((task) => task());
  await asked;
  while (other.size() === 0) await setImmediate();
  t.equal(other.size(), 1);
  await service.stop();
  await Promise.all(turns);
  t.equal(hanging.offers.length, 1);
});

t.test('a batch keeps as many cosignatures as a record may have', async (t) => {
  const witness = await fakeWitness(t);
  const { cut, end, stored, turn, world } = await witnessed(t, policyOf(witness.line, 'quorum none\n'));
  await cut();
  await turn();
  const [one] = await stored();
  for (let at = 0; at < 40; at++)
    await world.store.insertUnique(OWN_COLLECTIONS.cosignatures.name, {
      ...one!,
      ...{ id: `${one!.id}-${at}`, rev: 1, line: `${one!.line.trimEnd()}${at}\n`, waiting: 1 },
    });
  await turn();
  const record = (await world.anchors()).at(-1)!;
  t.equal(record.evidence?.cosignatures?.length, POLICY_LIMITS.witnesses);
  t.ok(isRecord.check(record));
  t.ok((await stored()).every(({ waiting }) => waiting === undefined));
  await end();
});

t.test('the file of a policy', async (t) => {
  const folder = t.testdir();
  const path = join(folder, 'policy');
  const { publicKey } = (await fakeWitness(t)).cosigner;
  const vkey = formatVerifierKey({ name: 'w', type: 4, publicKey });
  const log = (name: string): string =>
    `log ${formatVerifierKey({ name, type: 1, publicKey: LOG_KEY.publicKey })}\n`;
  const read = (text: string | Uint8Array) => {
    writeFileSync(path, text);
    return readWitnessPolicy(path, ORIGIN, LOG_KEY.publicKey);
  };
  t.equal(readWitnessPolicy(undefined, ORIGIN, LOG_KEY.publicKey), undefined);
  t.match(read(`${log(ORIGIN)}witness a ${vkey} https://w.example/\nquorum a\n`), { quorum: 'a' });
  for (const [text, says] of [
    ['quorum a\n', /policy:1 "a" is not defined/],
    ['', /policy does not end with a newline/],
    [`${log('another')}quorum none\n`, /none is of this log/],
    [`witness a ${vkey}\nquorum a\n`, /the witness a has no URL/],
    [
      `witness a ${formatVerifierKey({ name: ORIGIN, type: 4, publicKey })} https://w/\nquorum a\n`,
      /has the name of the log/,
    ],
    [
      `witness a ${formatVerifierKey({ name: 'w', type: 4, publicKey: LOG_KEY.publicKey })} https://w/\nquorum a\n`,
      /has the key of the log itself/,
    ],
    [Uint8Array.of(0xff, 0x0a), /cannot be read/],
    [
      `witness a ${vkey} https://w.example/${'p'.repeat(33_000)}\nquorum a\n`,
      /policy is too long for a trust file: without comments and blanks 32768 characters at most, 61440 bytes of JSON$/,
    ],
    [
      `witness a ${vkey} https://w.example/${'—'.repeat(21_000)}\nquorum a\n`,
      /policy is too long for a trust file/,
    ],
  ] as const)
    t.throws(() => read(text), { message: says, constructor: ConfigError });
  t.throws(() => readWitnessPolicy(join(folder, 'none'), ORIGIN, LOG_KEY.publicKey), { message: /ENOENT/ });
});
