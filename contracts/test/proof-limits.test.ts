/** Limits of what a proof may hold, at their exact values, and the conditions of a transaction one by one. */
import t from 'tap';
import { checkBlock } from '../src/proof/check-block.ts';
import { parseBump } from '../src/proof/bump.ts';
import { ProofFindings } from '../src/proof/findings.ts';
import type { HeaderChain } from '../src/proof/headers.ts';
import { isCoinbase, isSigned, parseTransaction, sealOf } from '../src/ledger/transaction.ts';
import {
  blockBytes,
  bumpBytes,
  coinbaseBytes,
  doubleSha,
  NOTHING,
  transactionBytes,
  varInt,
} from './ledger-bytes.ts';

const output = { satoshis: 5, script: Buffer.from('51', 'hex') };
const source = { hash: Buffer.alloc(32, 7), index: 1 };
const sign = Buffer.of(1);

/** A transaction of exactly so many bytes, most of them in its output. */
function sized(bytes: number): Buffer {
  const around =
    transactionBytes(source, sign, [{ satoshis: 5, script: Buffer.alloc(70_000) }]).length - 70_000;
  return transactionBytes(source, sign, [{ satoshis: 5, script: Buffer.alloc(bytes - around) }]);
}

t.test('a transaction of 100,000 bytes is read, a longer one is not', async (t) => {
  t.equal(sized(100_000).length, 100_000);
  t.equal(parseTransaction(sized(100_000))?.outputs.length, 1);
  t.equal(sized(100_001).length, 100_001);
  t.equal(parseTransaction(sized(100_001)), undefined);
});

t.test('a transaction needs inputs and outputs, both', async (t) => {
  t.equal(parseTransaction(transactionBytes(source, sign, [])), undefined, 'no outputs');
  const whole = transactionBytes(source, sign, [output]);
  const input = 32 + 4 + 1 + sign.length + 4;
  const without = Buffer.concat([whole.subarray(0, 4), Buffer.of(0), whole.subarray(5 + input)]);
  t.equal(parseTransaction(without), undefined, 'no inputs');
});

/** A path of 32 levels and exactly so many bytes; all of its nodes are in the lowest level. */
function path(bytes: number): Buffer {
  const [depth, nodeBytes, duplicateBytes] = [32, 36, 4];
  const room = bytes - 1 - 1 - 3 - (depth - 1);
  const nodes = Math.floor((room - duplicateBytes) / nodeBytes);
  const duplicates = (room - nodes * nodeBytes) / duplicateBytes;
  const leaves = [
    ...Array.from({ length: nodes }, (_, n) => [varInt(1_000 + n), Buffer.of(0), Buffer.alloc(32)]),
    ...Array.from({ length: duplicates }, (_, n) => [varInt(10_001 + 2 * n), Buffer.of(1)]),
  ];
  return Buffer.concat([
    ...[varInt(9), Buffer.of(depth), varInt(leaves.length), ...leaves.flat(), Buffer.alloc(depth - 1)],
  ]);
}

t.test('a Merkle path of 16,384 bytes and 32 levels is read, a longer one is not', async (t) => {
  t.equal(path(16_384).length, 16_384);
  t.equal(parseBump(path(16_384))?.levels.length, 32);
  t.equal(path(16_388).length, 16_388);
  t.equal(parseBump(path(16_388)), undefined);
});

t.test('a coinbase has one input, of no output of no transaction', async (t) => {
  const of = (hash: Buffer, index: number) =>
    isCoinbase(parseTransaction(transactionBytes({ hash, index }, sign, [output]))!);
  t.ok(of(NOTHING.hash, NOTHING.index));
  t.notOk(of(NOTHING.hash, 0), 'an output');
  t.notOk(of(source.hash, NOTHING.index), 'a transaction');
  t.notOk(of(Buffer.concat([Buffer.alloc(31), Buffer.of(1)]), NOTHING.index), 'a hash that is all but zero');
  const one = parseTransaction(transactionBytes(NOTHING, sign, [output]))!;
  t.notOk(isCoinbase({ ...one, inputs: [...one.inputs, ...one.inputs] }), 'two such inputs');
});

t.test('a signed transaction names a real output with each input, and has a script for it', async (t) => {
  const of = (hash: Buffer, index: number, script = sign) =>
    parseTransaction(transactionBytes({ hash, index }, script, [output]))!;
  const good = of(source.hash, 0);
  t.ok(isSigned(good));
  t.notOk(isSigned(of(source.hash, 0, Buffer.alloc(0))), 'no script');
  t.notOk(isSigned(of(source.hash, NOTHING.index)), 'no output');
  t.notOk(isSigned(of(NOTHING.hash, 0)), 'no transaction');
  const bad = of(NOTHING.hash, 0);
  t.notOk(isSigned({ ...good, inputs: [...good.inputs, ...bad.inputs] }), 'the second input is none');
});

t.test('the seal is the second output, and is worth something', async (t) => {
  const seal = (...satoshis: readonly number[]) =>
    sealOf(
      parseTransaction(
        transactionBytes(
          source,
          sign,
          satoshis.map((worth) => ({ ...output, satoshis: worth })),
        ),
      )!,
    )?.satoshis;
  t.equal(seal(0, 1), 1);
  t.equal(seal(7, 0), undefined);
  t.equal(seal(7), undefined);
  t.equal(seal(7, 8, 9), 8);
});

const BLOCK_S = 1_800_000_000;
const HOUR_MS = 3_600_000;
const own = transactionBytes(source, sign, [output]);
const block = blockBytes(200, '11'.repeat(32), BLOCK_S, [coinbaseBytes(200), own]);

interface Given {
  readonly waitedMs?: number;
  readonly confirmations?: number;
  readonly of?: typeof block;
  readonly coinbase?: Buffer;
}

/** What is found of a block when its entry, whose category has an interval of an hour, was accepted so many ms before it. */
function found({ waitedMs = 0, confirmations = 6, of = block, coinbase = of.transactions[0]! }: Given) {
  const headers: HeaderChain = {
    ...{ tipHeight: 200 + confirmations - 1, tipTime: BLOCK_S, work: 1n, uncalculated: 0 },
    headerAt: (height) => (height === 200 ? of.header : undefined),
  };
  const findings = new ProofFindings();
  const proof = {
    ...{ height: 200, hash: of.hash, header: of.header.toString('hex') },
    ...{ bump: bumpBytes(of, 1).toString('hex'), coinbase: coinbase.toString('hex'), confirmations },
  };
  const acceptedAt = BLOCK_S * 1_000 - waitedMs;
  const seen = checkBlock(
    { block: proof, hash: doubleSha(own), acceptedAt, intervalMs: HOUR_MS, headers },
    findings,
  );
  const { fails, holds, warnings } = findings;
  return { seen, codes: [...fails, ...holds, ...warnings].map(({ code }) => code).join(' ') };
}

t.test('a block may say a time two hours before the entry, and two hours after its interval', async (t) => {
  const at = (waitedMs: number): string => found({ waitedMs }).codes;
  t.equal(at(0), 'COINBASE BLOCK TIME');
  t.equal(at(-2 * HOUR_MS), 'COINBASE BLOCK TIME');
  t.equal(at(-2 * HOUR_MS - 1), 'ACCEPTED_AFTER_BLOCK COINBASE BLOCK');
  t.equal(at(3 * HOUR_MS), 'COINBASE BLOCK TIME');
  t.equal(at(3 * HOUR_MS + 1), 'COINBASE BLOCK TIME ANCHORED_LATE');
});

t.test('a block is deep from six confirmations on, itself the first', async (t) => {
  t.equal(found({ confirmations: 5 }).codes, 'COINBASE BLOCK TIME SHALLOW');
  t.strictSame(found({}).seen, { height: 200, time: BLOCK_S, confirmations: 6 });
});

t.test('a coinbase that is not the one of the path is told', async (t) => {
  const codes = 'COINBASE_DIFFERS BLOCK TIME';
  t.equal(found({ coinbase: coinbaseBytes(201) }).codes, codes, 'of another block');
  const spending = blockBytes(200, '11'.repeat(32), BLOCK_S, [sized(100), own]);
  t.equal(found({ of: spending }).codes, codes, 'the first of the path, and no coinbase');
  t.equal(found({ coinbase: Buffer.of(1) }).codes, codes, 'no transaction');
});
