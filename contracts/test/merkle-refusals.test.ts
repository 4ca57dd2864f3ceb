import { createHash } from 'node:crypto';
import t from 'tap';
import { Check } from 'typebox/value';
import { mapKey } from '../src/log/batch-leaves.ts';
import { utf8 } from '../src/bytes/bytes.ts';
import { SUBJECT_TYPE } from '../src/codes.ts';
import { CompactRange, consistencyPath, verifyConsistency } from '../src/log/merkle-consistency.ts';
import {
  inclusionPath,
  leafHash,
  merkleLevels,
  merkleRoot,
  nodeHash,
  rootFromInclusion,
  verifyInclusion,
} from '../src/log/merkle.ts';
import { KeptReceiptSchema, RECEIPT_FORMAT, type KeptReceipt } from '../src/receipt/receipt.ts';
import { vector } from './support.ts';

const MOST = 9;
const leaves = Array.from({ length: MOST }, (_, n) => leafHash(Uint8Array.of(n)));
const tree = (size: number) => leaves.slice(0, size);
const root = (size: number) => merkleRoot(tree(size));
const SHORT = new Uint8Array(31);
const NOT_COUNTS = [1.5, -1, NaN, Infinity, 2 ** 53];

t.test('trees up to nine leaves: each path is true, by value', async (t) => {
  for (let size = 1; size <= MOST; size++) {
    for (let index = 0; index < size; index++)
      t.equal(
        verifyInclusion(leaves[index]!, index, size, inclusionPath(tree(size), index), root(size)),
        true,
      );
    for (let from = 0; from <= size; from++)
      t.equal(verifyConsistency(from, root(from), size, root(size), consistencyPath(tree(size), from)), true);
  }
  t.same(merkleLevels([]), []);
  t.same(new CompactRange().root(), merkleRoot([]));
});

t.test('an inclusion that cannot be is false, never an exception', async (t) => {
  const path = inclusionPath(tree(5), 2);
  for (const number of [...NOT_COUNTS, 5, 6])
    t.equal(verifyInclusion(leaves[2]!, number, 5, path, root(5)), false, `index ${number}`);
  for (const number of [...NOT_COUNTS, 0, 2])
    t.equal(verifyInclusion(leaves[2]!, 2, number, path, root(5)), false, `size ${number}`);
  t.equal(verifyInclusion(SHORT, 2, 5, path, root(5)), false);
  t.equal(verifyInclusion(leaves[2]!, 2, 5, [...path.slice(1), SHORT], root(5)), false);
  t.equal(verifyInclusion(leaves[2]!, 2, 5, path, SHORT), false);
  t.equal(verifyInclusion(leaves[2]!, 2, 5, path, root(4)), false);
  t.equal(rootFromInclusion(leaves[0]!, 0, 1, [leaves[1]!]), undefined, 'a path too long leads nowhere');
  t.equal(rootFromInclusion(leaves[0]!, 0, 2, []), undefined, 'a path too short leads nowhere');
});

t.test('a growth that cannot be is false, never an exception', async (t) => {
  const path = consistencyPath(tree(7), 3);
  for (const number of NOT_COUNTS) {
    t.equal(verifyConsistency(number, root(3), 7, root(7), path), false, `from ${number}`);
    t.equal(verifyConsistency(3, root(3), number, root(7), path), false, `to ${number}`);
    t.equal(verifyConsistency(number, root(3), number, root(3), []), false, `both ${number}`);
  }
  t.equal(verifyConsistency(7, root(7), 3, root(3), path), false, 'a tree does not shrink');
  t.equal(verifyConsistency(3, SHORT, 3, SHORT, []), false);
  t.equal(verifyConsistency(3, SHORT, 7, root(7), path), false);
  t.equal(verifyConsistency(3, root(3), 7, SHORT, path), false);
  t.equal(verifyConsistency(3, root(3), 7, root(7), [SHORT, ...path.slice(1)]), false);
  t.equal(verifyConsistency(3, root(3), 7, root(7), []), false, 'no path');
  t.equal(verifyConsistency(3, root(3), 7, root(7), [...path, path[0]!]), false, 'a path too long');
  t.equal(verifyConsistency(3, root(3), 7, root(7), path.slice(0, -1)), false, 'a path too short');
  t.equal(verifyConsistency(3, root(3), 3, root(4), []), false);
  t.equal(verifyConsistency(3, root(3), 3, root(3), path), false);
  t.equal(verifyConsistency(0, root(3), 7, root(7), []), false);
  t.equal(verifyConsistency(0, root(0), 7, root(7), path), false);
});

t.test('what makes paths throws for what is not there', async (t) => {
  for (const index of [...NOT_COUNTS, 5])
    t.throws(() => inclusionPath(tree(5), index), RangeError, `${index}`);
  for (const from of [...NOT_COUNTS, 6])
    t.throws(() => consistencyPath(tree(5), from), RangeError, `${from}`);
  t.throws(() => nodeHash(SHORT, leaves[0]!), RangeError);
  t.throws(() => nodeHash(leaves[0]!, SHORT), RangeError);
  t.throws(() => nodeHash(new Uint8Array(33), leaves[0]!), RangeError);
});

t.test('the key of a subject begins with its domain', async (t) => {
  const subject = '01932b5e-7c00-7a11-8b22-000000000001';
  const expected = createHash('sha256')
    .update(utf8('sentinel/key/v1\0'))
    .update(new Uint8Array(32).fill(7))
    .update(Uint8Array.of(SUBJECT_TYPE.FILE))
    .update(Buffer.from(subject.replaceAll('-', ''), 'hex'))
    .digest('hex');
  t.equal(Buffer.from(mapKey(new Uint8Array(32).fill(7), 'FILE', subject)).toString('hex'), expected);
});

t.test('a receipt to be checked has all of its members and no other', async (t) => {
  const [flush] =
    vector<readonly { readonly receipts: readonly { readonly kept: KeptReceipt }[] }[]>('receipts.json');
  const { kept } = flush!.receipts[0]!;
  const of = (changes: object) => ({ ...kept, receipt: { ...kept.receipt, ...changes } });
  const fits = (value: unknown) => Check(KeptReceiptSchema, value);
  t.equal(RECEIPT_FORMAT, 'sentinel/receipt/v1');
  t.ok(fits(kept));
  t.ok(fits(of({ count: 0xffff_ffff })));
  const bad: readonly unknown[] = [
    { ...kept, more: 1 },
    of({ more: 1 }),
    of({ count: 0 }),
    of({ count: 0x1_0000_0000 }),
    of({ path: Array.from({ length: 65 }, () => kept.reportHash) }),
    of({ path: ['short'] }),
    of({ signature: 'x' }),
    of({ signature: `${kept.receipt.signature}0` }),
    of({ signature: kept.receipt.signature.toUpperCase() }),
    of({ acceptedAt: -1 }),
    of({ index: -1 }),
    of({ root: '' }),
    ...Object.keys(kept).map((name) => ({ ...kept, [name]: undefined })),
    ...Object.keys(kept.receipt).map((name) => of({ [name]: undefined })),
  ];
  for (const value of bad) t.notOk(fits(value), JSON.stringify(value).slice(0, 80));
});
