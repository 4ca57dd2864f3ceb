/** Tests the reading of a transaction of the ledger, byte by byte. */
import t from 'tap';
import { encodeAnchorScript } from '../src/ledger/anchor-script.ts';
import {
  anchorOf,
  isCoinbase,
  isSigned,
  parseTransaction,
  sealOf,
  shownHash,
  type LedgerTransaction,
} from '../src/ledger/transaction.ts';
import { PROOF_LIMITS } from '../src/proof-limits.ts';
import {
  coinbaseBytes,
  doubleSha,
  NOTHING,
  shown,
  transactionBytes,
  varInt,
  type OutputBytes,
} from './ledger-bytes.ts';

const SPENT = { hash: Buffer.alloc(32, 9), index: 1 };
const UNLOCKING = Buffer.from('0151', 'hex');
const output = (satoshis: number, script = '51'): OutputBytes => ({
  satoshis,
  script: Buffer.from(script, 'hex'),
});
const anchorScript = Buffer.from(
  encodeAnchorScript({
    logId: new Uint8Array(32).fill(1),
    batch: 7,
    headerHash: new Uint8Array(32).fill(2),
    logRoot: new Uint8Array(32).fill(3),
  }),
);
const ANCHOR: OutputBytes = { satoshis: 0, script: anchorScript };

function read(bytes: Buffer): LedgerTransaction {
  const found = parseTransaction(bytes);
  if (found === undefined) throw new Error('the bytes are no transaction');
  return found;
}

/** A transaction whose lists are given as bytes. */
const raw = (inputs: Buffer, outputs: Buffer): Buffer =>
  Buffer.concat([Buffer.from('01000000', 'hex'), inputs, outputs, Buffer.alloc(4)]);
const INPUT = Buffer.concat([SPENT.hash, Buffer.from('01000000', 'hex'), varInt(0), Buffer.alloc(4, 255)]);
const OUTPUT = Buffer.concat([Buffer.alloc(8), varInt(0)]);

t.test('a transaction is read whole', async (t) => {
  const bytes = transactionBytes(SPENT, UNLOCKING, [ANCHOR, output(12)]);
  const found = read(bytes);
  const hex = (script: Uint8Array): string => Buffer.from(script).toString('hex');
  t.strictSame(
    found.inputs.map(({ previous, outputIndex, script }) => [hex(previous), outputIndex, hex(script)]),
    [[hex(SPENT.hash), 1, '0151']],
  );
  t.strictSame(
    found.outputs.map(({ satoshis, script }) => [satoshis, hex(script)]),
    [
      [0, hex(anchorScript)],
      [12, '51'],
    ],
  );
  t.equal(shownHash(found.hash), shown(doubleSha(bytes)));
});

t.test('other bytes are none', async (t) => {
  const bytes = transactionBytes(SPENT, UNLOCKING, [output(1)]);
  const none = varInt(0);
  const one = (item: Buffer): Buffer => Buffer.concat([varInt(1), item]);
  t.ok(parseTransaction(raw(one(INPUT), one(OUTPUT))), 'one input and one output');
  const others: Readonly<Record<string, Buffer>> = {
    nothing: Buffer.alloc(0),
    'cut short': bytes.subarray(0, -1),
    'a byte more': Buffer.concat([bytes, Buffer.alloc(1)]),
    'no input': raw(none, one(OUTPUT)),
    'no output': raw(one(INPUT), none),
    'neither of them': raw(none, none),
    'more inputs than there are': raw(Buffer.concat([varInt(2), INPUT]), one(OUTPUT)),
  };
  for (const [what, other] of Object.entries(others)) t.equal(parseTransaction(other), undefined, what);
});

t.test('a transaction of 64 bytes is none: these could be two hashes (CVE-2017-12842)', async (t) => {
  const sizes = (length: number): Buffer => transactionBytes(SPENT, Buffer.alloc(length, 1), [output(1, '')]);
  const least = sizes(0).length;
  t.equal(parseTransaction(sizes(64 - least)), undefined);
  for (const length of [63, 65]) t.ok(parseTransaction(sizes(length - least)), `${length} bytes`);
});

t.test('a transaction is as long as proofs may carry, and no longer', async (t) => {
  const { transactionBytes: most } = PROOF_LIMITS;
  const sizes = (length: number): Buffer =>
    transactionBytes(SPENT, UNLOCKING, [{ satoshis: 1, script: Buffer.alloc(length) }]);
  const around = sizes(70_000).length - 70_000;
  t.ok(parseTransaction(sizes(most - around)));
  t.equal(parseTransaction(sizes(most - around + 1)), undefined);
});

t.test('the anchor is output 0, worth nothing, and the only one', async (t) => {
  const anchored = (...outputs: readonly OutputBytes[]) =>
    anchorOf(read(transactionBytes(SPENT, UNLOCKING, outputs)));
  t.equal(anchored(ANCHOR)?.batch, 7);
  t.equal(anchored(ANCHOR, output(5), output(6))?.batch, 7);
  t.equal(anchored({ ...ANCHOR, satoshis: 1 }), undefined, 'it is worth something');
  t.equal(anchored(output(0), ANCHOR), undefined, 'it is output 1');
  t.equal(anchored(ANCHOR, output(5), ANCHOR), undefined, 'there is another one');
});

t.test('the seal is output 1, worth something', async (t) => {
  const sealed = (...outputs: readonly OutputBytes[]) =>
    sealOf(read(transactionBytes(SPENT, UNLOCKING, outputs)));
  t.equal(sealed(ANCHOR, output(5))?.satoshis, 5);
  t.equal(sealed(ANCHOR, output(0)), undefined);
  t.equal(sealed(output(5)), undefined);
});

t.test('a signed transaction names an output with each input, and unlocks it', async (t) => {
  const signed = (spent: typeof SPENT, unlocking = UNLOCKING) =>
    isSigned(read(transactionBytes(spent, unlocking, [output(1)])));
  t.ok(signed(SPENT));
  t.ok(signed({ hash: Buffer.concat([Buffer.alloc(31), Buffer.of(1)]), index: 0 }), 'zeros in a hash');
  t.notOk(signed(SPENT, Buffer.alloc(0)), 'no unlocking script');
  t.notOk(signed({ ...SPENT, index: NOTHING.index }), 'the output of a coinbase');
  t.notOk(signed({ ...SPENT, hash: NOTHING.hash }), 'the hash of a coinbase');
  const transaction = read(transactionBytes(SPENT, UNLOCKING, [output(1)]));
  const [input] = transaction.inputs;
  const second = { ...input!, script: new Uint8Array(0) };
  t.notOk(isSigned({ ...transaction, inputs: [input!, second] }), 'the second input is not unlocked');
});

t.test('a coinbase has one input, which spends nothing', async (t) => {
  const coinbase = read(coinbaseBytes(3));
  t.ok(isCoinbase(coinbase));
  t.notOk(isSigned(coinbase));
  t.notOk(isCoinbase({ ...coinbase, inputs: [...coinbase.inputs, ...coinbase.inputs] }), 'two inputs');
  const spends = (spent: typeof SPENT) => isCoinbase(read(transactionBytes(spent, UNLOCKING, [output(1)])));
  t.notOk(spends({ ...NOTHING, index: 0 }), 'an output');
  t.notOk(spends({ ...NOTHING, hash: Buffer.concat([Buffer.alloc(31), Buffer.of(1)]) }), 'a hash');
});
