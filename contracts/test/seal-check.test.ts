/** Checks of one seal at its place: each comparison by itself. */
import t from 'tap';
import { fromHex, toHex } from '../src/bytes/bytes.ts';
import { leafHash } from '../src/log/merkle.ts';
import { CompactRange } from '../src/log/merkle-consistency.ts';
import { parseTransaction } from '../src/ledger/transaction.ts';
import { checkSeal, type Seal, type SealFailure, type SealPlace, type SealTip } from '../src/ledger/seal.ts';
import type { SealLine } from '../src/ledger/seal-chain.ts';
import { vector } from './support.ts';

const { trust, proof, lines } = vector<{
  trust: { genesisTxid: string };
  proof: { log: { logId: string } };
  lines: string[];
}>('seals.json');
const logId = fromHex(proof.log.logId);
const seals = lines.slice(1).map((line): Seal => {
  const { header, raw, spends } = JSON.parse(line) as SealLine;
  return {
    header: fromHex(header),
    raw: fromHex(raw),
    spends: spends.map(({ satoshis, script }) => ({ satoshis, script: fromHex(script) })),
  };
});
const unlocked = (): boolean => true;

/** The places of all seals, each with the tip before it. */
const log = new CompactRange();
const places: SealPlace[] = [];
let before: SealTip | undefined;
for (const [batch, seal] of seals.entries()) {
  log.append(leafHash(seal.header));
  places.push({ batch, logId, logRoot: log.root(), before, genesisTxid: trust.genesisTxid });
  const checked = checkSeal(seal, places[batch]!, unlocked);
  if (checked.failure !== undefined || checked.tip === undefined) throw new Error(`batch ${batch}`);
  before = checked.tip;
}
const other = (bytes: Uint8Array): Uint8Array => bytes.map((byte, at) => (at === 0 ? byte ^ 1 : byte));
/** Returns the seal with some bytes of its transaction changed. */
const altered = (seal: Seal, from: string, to: string): Seal => {
  const raw = toHex(seal.raw);
  if (raw.split(from).length !== 2) throw new Error('stands there once');
  return { ...seal, raw: fromHex(raw.replace(from, to)) };
};
/** Batch 2 spends the previous seal and another output. */
const AT = 2;
const seal = seals[AT]!;
const place = places[AT]!;
const tip = place.before!;

const failure = (of: Seal, at: SealPlace, verify: Parameters<typeof checkSeal>[2] = unlocked) =>
  checkSeal(of, at, verify).failure;

t.test('what the place asks of the header', async (t) => {
  t.equal(failure(seal, place), undefined);
  const cases: Partial<SealPlace>[] = [
    { batch: AT + 1 },
    { logId: other(logId) },
    { before: { ...tip, headerHash: other(tip.headerHash) } },
    { before: undefined },
  ];
  for (const change of cases) t.equal(failure(seal, { ...place, ...change }), 'SEAL_HEADER_DIFFERS');
});

t.test('what the place asks of the anchor', async (t) => {
  const headerHash = toHex(checkSeal(seal, place, unlocked).tip!.headerHash);
  const root = toHex(place.logRoot);
  const batch = `${proof.log.logId}${AT.toString(16).padStart(16, '0')}`;
  const cases: readonly [SealFailure, Seal, SealPlace][] = [
    ['SEAL_FOREIGN', altered(seal, batch, `${toHex(other(logId))}${batch.slice(64)}`), place],
    ['SEAL_ANCHOR_DIFFERS', altered(seal, batch, batch.replace(/.$/, '3')), place],
    ['SEAL_ANCHOR_DIFFERS', altered(seal, headerHash, toHex(other(fromHex(headerHash)))), place],
    ['SEAL_ANCHOR_DIFFERS', altered(seal, root, toHex(other(place.logRoot))), place],
    ['SEAL_ANCHOR_DIFFERS', seal, { ...place, logRoot: other(place.logRoot) }],
    ['SEAL_FOREIGN', altered(seal, '006a4c6d534e544c01', '006a4c6d534e544c02'), place],
  ];
  for (const [code, of, at] of cases) t.equal(failure(of, at), code);
});

t.test('what the place asks of input 0', async (t) => {
  const [first] = parseTransaction(seal.raw)!.inputs;
  const outpoint = `${toHex(first!.previous)}01000000`;
  t.equal(
    failure(altered(seal, outpoint, outpoint.replace(/01000000$/, '00000000')), place),
    'SEAL_NOT_SPENT',
  );
  t.equal(failure(seal, { ...place, before: { ...tip, hash: other(tip.hash) } }), 'SEAL_NOT_SPENT');
  const [genesis, start] = [seals[0]!, places[0]!];
  t.equal(failure(genesis, { ...start, genesisTxid: '00'.repeat(32) }), 'SEAL_GENESIS_DIFFERS');
  t.equal(failure(genesis, { ...start, genesisTxid: undefined }), undefined, 'not known: not compared');
});

t.test('each input is unlocked, and none twice', async (t) => {
  for (const locked of [0, 1])
    t.equal(
      failure(seal, place, ({ inputIndex }) => inputIndex !== locked),
      'SEAL_UNSIGNED',
      `input ${locked}`,
    );
  const asked: number[] = [];
  failure(seal, place, ({ inputIndex, spent }) => {
    asked.push(inputIndex, spent.satoshis);
    return true;
  });
  t.same(asked, [0, tip.seal!.satoshis, 1, seal.spends[0]!.satoshis]);
  t.equal(
    failure({ ...seal, spends: [...seal.spends, ...seal.spends] }, place),
    'SEAL_UNSIGNED',
    'one too many',
  );
  const [first, second] = parseTransaction(seal.raw)!.inputs;
  const outpoint = ({ previous, outputIndex }: { previous: Uint8Array; outputIndex: number }) =>
    `${toHex(previous)}0${outputIndex}000000`;
  t.equal(
    failure(altered(seal, outpoint(second!), outpoint(first!)), place),
    'SEAL_UNSIGNED',
    'the same output',
  );
});

t.test('inputs hold what is paid', async (t) => {
  const paid = parseTransaction(seal.raw)!.outputs.reduce((sum, { satoshis }) => sum + satoshis, 0);
  const [more] = seal.spends;
  const holding = (satoshis: number): Seal => ({ ...seal, spends: [{ ...more!, satoshis }] });
  t.equal(failure(holding(paid - tip.seal!.satoshis), place), undefined, 'no fee at all');
  t.equal(failure(holding(paid - tip.seal!.satoshis - 1), place), 'SEAL_UNFUNDED');
  t.equal(
    failure(seal, { ...place, before: { ...tip, seal: undefined } }),
    'SEAL_UNFUNDED',
    'no seal before',
  );
  const funds = paid.toString(16).padStart(16, '0').match(/../g)!.reverse().join('');
  const unpaid = altered(seal, `${funds}1976a914`, `${'00'.repeat(8)}1976a914`);
  t.equal(failure(unpaid, place), 'SEAL_UNFUNDED', 'nothing for the next one');
  // One satoshi more than the inputs hold, in sums that a double cannot tell apart.
  const most = (2 ** 53 - 1).toString(16).padStart(16, '0').match(/../g)!.reverse().join('');
  const huge = altered(seal, `${funds}1976a914`, `${most}1976a914`);
  const outputs = toHex(seal.raw)
    .slice(toHex(seal.raw).indexOf(`${funds}1976a914`))
    .slice(0, 68);
  const one = `0100000000000000${outputs.slice(16)}`;
  const raw = toHex(huge.raw).replace(`02${'00'.repeat(8)}71`, `04${'00'.repeat(8)}71`);
  const paying = { ...huge, raw: fromHex(`${raw.slice(0, -8)}${one}${one}${raw.slice(-8)}`) };
  t.equal(parseTransaction(paying.raw)?.outputs.length, 4);
  const spent = { ...tip, seal: { ...tip.seal!, satoshis: 2 ** 53 - 1 } };
  const spends = (satoshis: number): Seal => ({ ...paying, spends: [{ ...more!, satoshis }] });
  t.equal(failure(spends(2), { ...place, before: spent }), undefined);
  t.equal(failure(spends(1), { ...place, before: spent }), 'SEAL_UNFUNDED');
});

t.test('what cannot be read has no tip', async (t) => {
  t.same(checkSeal({ ...seal, header: seal.header.slice(1) }, place, unlocked), {
    failure: 'SEAL_UNREADABLE',
    tip: undefined,
  });
  t.same(checkSeal({ ...seal, raw: seal.raw.slice(1) }, place, unlocked), {
    failure: 'SEAL_UNREADABLE',
    tip: undefined,
  });
});
