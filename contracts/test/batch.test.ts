import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import * as script from '../src/ledger/anchor-script.ts';
import * as header from '../src/log/batch-header.ts';
import { leafData, mapKey, mapKeyInto, orderOfKeys, sortLeaves } from '../src/log/batch-leaves.ts';
import { concatBytes, fromHex, toHex } from '../src/bytes/bytes.ts';
import { leafHash } from '../src/log/merkle.ts';
import { flipBit } from './support.ts';

const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const u64 = fc.maxSafeNat();
const headers = fc.record(
  {
    logId: bytes32,
    batch: u64,
    previousHash: bytes32,
    closedAt: u64,
    leafCount: fc.nat(0xffff_ffff),
    leafRoot: bytes32,
    mapSize: u64,
    mapRoot: bytes32,
    totalLeaves: u64,
  },
  { noNullPrototype: true },
);
const leaves = fc.uniqueArray(fc.record({ mapKey: bytes32, number: fc.nat(3), linkHash: bytes32 }), {
  selector: ({ mapKey: key, number }) => `${toHex(key)} ${number}`,
  maxLength: 40,
});

t.test('a header has 182 bytes and reads back; each bit is in its hash', async (t) => {
  fc.assert(
    fc.property(headers, fc.nat(), (fields, bit) => {
      const bytes = header.encodeBatchHeader(fields);
      const other = header.batchHeaderHash(flipBit(bytes, bit));
      t.strictSame(header.decodeBatchHeader(bytes), fields);
      return bytes.length === 182 && toHex(other) !== toHex(header.batchHeaderHash(bytes));
    }),
  );
});

t.test('what is not a header is not read', async (t) => {
  const bytes = header.encodeBatchHeader(fc.sample(headers, 1)[0]!);
  t.equal(header.decodeBatchHeader(bytes.subarray(1)), undefined);
  t.equal(header.decodeBatchHeader(Uint8Array.of(...bytes, 0)), undefined);
  for (let bit = 0; bit < 18 * 8; bit++) t.equal(header.decodeBatchHeader(flipBit(bytes, bit)), undefined);
  for (const at of [50, 90, 134, 174]) {
    const huge = bytes.slice();
    huge[at] = 0x80;
    t.equal(header.decodeBatchHeader(huge), undefined, `u64 at ${at}`);
  }
  t.throws(() => header.batchHeaderHash(bytes.subarray(1)), RangeError);
  const inside = new Uint8Array(200);
  inside.set(bytes, 9);
  t.strictSame(
    header.decodeBatchHeader(inside.subarray(9, 191)),
    header.decodeBatchHeader(bytes),
    'a view in a buffer',
  );
});

t.test('the log of one header has its leaf hash as root', async (t) => {
  const bytes = header.encodeBatchHeader(fc.sample(headers, 1)[0]!);
  t.same(header.logRoot([bytes]), leafHash(bytes));
  t.equal(toHex(header.logRoot([])), 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855');
});

t.test('the order of leaves does not depend on the order they came in', async (t) => {
  fc.assert(
    fc.property(leaves, fc.infiniteStream(fc.double({ noNaN: true })), (unordered, draws) => {
      const shuffled = unordered.map((leaf) => ({ leaf, draw: draws.next().value as number }));
      shuffled.sort((a, b) => a.draw - b.draw);
      const sorted = sortLeaves(unordered);
      const keys = sorted.map(({ mapKey: key, number }) => `${toHex(key)} ${number}`);
      t.strictSame(sorted, sortLeaves(shuffled.map(({ leaf }) => leaf)));
      return JSON.stringify(keys) === JSON.stringify([...keys].sort());
    }),
  );
  const [leaf] = [{ mapKey: new Uint8Array(32), number: 1, linkHash: new Uint8Array(32) }];
  t.throws(
    () => sortLeaves([leaf, { ...leaf, linkHash: new Uint8Array(32).fill(1) }]),
    RangeError,
    'one entry twice',
  );
});

t.test('map keys are ordered by all of their bytes', async () => {
  // Few values, so that keys share their beginning or are equal.
  const key = fc.uint8Array({ minLength: 32, maxLength: 32, max: 1 });
  fc.assert(
    fc.property(fc.array(key, { maxLength: 40 }), fc.nat(20), (keys, alike) => {
      for (const one of keys) one.fill(0xff, 0, alike);
      const order = [...orderOfKeys(concatBytes(...keys))];
      const sorted = keys.map(toHex).sort();
      const places = [...keys.keys()];
      return (
        order.every((place, rank) => toHex(keys[place]!) === sorted[rank]) &&
        places.every((place) => order.includes(place))
      );
    }),
  );
});

t.test('a map key is written where it is wanted', async (t) => {
  const subject = '01932b5e-7c00-7a11-8b22-000000000003';
  const log = new Uint8Array(32).fill(4);
  const target = new Uint8Array(100).fill(9);
  mapKeyInto(target, 40, log, 'FILE', subject);
  t.equal(toHex(target), '09'.repeat(40) + toHex(mapKey(log, 'FILE', subject)) + '09'.repeat(28));
});

t.test('a leaf is bound to log, subject type, subject, number and link hash', async (t) => {
  const subject = '01932b5e-7c00-7a11-8b22-000000000003';
  const log = new Uint8Array(32);
  const keys = [
    mapKey(log, 'FILE', subject),
    mapKey(log, 'DEVICE', subject),
    mapKey(flipBit(log, 3), 'FILE', subject),
    mapKey(log, 'FILE', subject.replace('3', '4')),
  ];
  t.equal(new Set(keys.map(toHex)).size, 4);
  t.same(mapKey(toHex(log), 'FILE', subject), keys[0], 'hex is taken too');
  t.equal(leafData(log, 1, log).length, 89);
});

t.test('an anchor script is 113 bytes, begins 00 6a 4c 6d SNTL 01, and reads back', async (t) => {
  const anchors = fc.record(
    { logId: bytes32, batch: u64, headerHash: bytes32, logRoot: bytes32 },
    { noNullPrototype: true },
  );
  fc.assert(
    fc.property(anchors, fc.nat(9 * 8 - 1), (anchor, bit) => {
      const bytes = script.encodeAnchorScript(anchor);
      t.strictSame(script.parseAnchorScript(bytes), anchor);
      return (
        bytes.length === 113 &&
        toHex(bytes).startsWith('006a4c6d534e544c01') &&
        script.parseAnchorScript(flipBit(bytes, bit)) === undefined &&
        script.parseAnchorScript(bytes.subarray(0, 112)) === undefined &&
        script.parseAnchorScript(Uint8Array.of(...bytes, 0)) === undefined
      );
    }),
  );
  const huge = fromHex(`006a4c6d534e544c01${'ff'.repeat(104)}`);
  t.equal(script.parseAnchorScript(huge), undefined, 'a batch number that JSON cannot carry');
});
