import { createHash, createHmac, randomBytes } from 'node:crypto';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { ByteWriter, readU64 } from '../src/bytes/byte-writer.ts';
import * as bytes from '../src/bytes/bytes.ts';
import { CompactReader } from '../src/bytes/compact-reader.ts';
import { hmacSha256 } from '../src/bytes/hmac.ts';
import * as node from '../src/bytes/sha256-node.ts';
import * as portable from '../src/bytes/sha256-portable.ts';

const anyBytes = fc.uint8Array({ maxLength: 300 });
/** Any text, also with lone surrogates. */
const anyText = fc.array(fc.nat(0xffff), { maxLength: 50 }).map((units) => String.fromCharCode(...units));

t.test('both SHA-256 give what node:crypto gives, as plain arrays', async (t) => {
  for (const { sha256, sha256Hex, sha256Into } of [node, portable]) {
    fc.assert(
      fc.property(anyBytes, fc.nat(8), (data, offset) => {
        const expected = createHash('sha256').update(data).digest('hex');
        const target = new Uint8Array(offset + 32);
        sha256Into(data, target, offset);
        return (
          bytes.toHex(sha256(data)) === expected &&
          bytes.toHex(target) === '00'.repeat(offset) + expected &&
          sha256Hex(data) === expected
        );
      }),
    );
    t.equal(Object.getPrototypeOf(sha256(new Uint8Array(1))), Uint8Array.prototype);
  }
});

t.test('both SHA-256 of a text are that of its UTF-8', async () => {
  for (const { sha256, sha256Hex } of [node, portable]) {
    fc.assert(
      fc.property(anyText, (text) => sha256Hex(text) === bytes.toHex(sha256(new TextEncoder().encode(text)))),
    );
  }
});

t.test('HMAC-SHA256 is RFC 2104, also for keys longer than a block', async (t) => {
  const jefe = hmacSha256(bytes.utf8('Jefe'), bytes.utf8('what do ya want for nothing?'));
  t.equal(
    bytes.toHex(jefe),
    '5bdcc146bf60754e6a042426089575c75a003f089d2739839dec58b964ec3843',
    'RFC 4231 case 2',
  );
  fc.assert(
    fc.property(anyBytes, anyBytes, (key, data) => {
      return bytes.toHex(hmacSha256(key, data)) === createHmac('sha256', key).update(data).digest('hex');
    }),
  );
});

t.test('hex and base 64 have one spelling a value', async (t) => {
  fc.assert(
    fc.property(anyBytes, (data) => {
      const hex = bytes.toHex(data);
      const base64 = bytes.toBase64(data);
      return (
        hex === Buffer.from(data).toString('hex') &&
        base64 === Buffer.from(data).toString('base64') &&
        bytes.equalBytes(bytes.fromHex(hex), data) &&
        bytes.equalBytes(bytes.fromBase64(base64), data)
      );
    }),
  );
  for (const wrong of ['a', 'AB', 'zz', '0x', 'é0', '0\u0130', '0\u00b0', '\u00b00', ' 0'])
    t.throws(() => bytes.fromHex(wrong), RangeError, wrong);
  for (const wrong of ['YQ', 'YR==', 'Y Q=', 'YQ=', '=', '_-==', 'YQ==\n']) {
    t.throws(() => bytes.fromBase64(wrong), RangeError, JSON.stringify(wrong));
  }
});

t.test('compareBytes is the order of Buffer.compare', async () => {
  fc.assert(
    fc.property(anyBytes, anyBytes, (a, b) => Math.sign(bytes.compareBytes(a, b)) === Buffer.compare(a, b)),
  );
});

t.test('a view is of all that was written since the reset, also when the writer grew', async () => {
  const writer = new ByteWriter(4);
  fc.assert(
    fc.property(fc.array(fc.uint8Array({ maxLength: 12 }), { maxLength: 4 }), (parts) => {
      writer.reset();
      return parts.every((part, i) => {
        writer.raw(part);
        return bytes.equalBytes(writer.view(), bytes.concatBytes(...parts.slice(0, i + 1)));
      });
    }),
  );
});

t.test('a writer takes texts as the length of their UTF-8 and it', async () => {
  const written = (text: string) => new ByteWriter(0).u8(1).str(text).u8(2).copy();
  fc.assert(
    fc.property(fc.oneof(fc.string(), anyText), (text) => {
      const utf8 = Buffer.from(text);
      const length = Buffer.alloc(4);
      length.writeUInt32BE(utf8.length);
      return Buffer.concat([Uint8Array.of(1), length, utf8, Uint8Array.of(2)]).equals(written(text));
    }),
  );
});

t.test('a writer grows, and u64 is exact up to 2^53 − 1 and refused above', async (t) => {
  fc.assert(
    fc.property(fc.maxSafeNat(), fc.nat(0xffff_ffff), fc.nat(5), (big, small, capacity) => {
      const written = new ByteWriter(capacity).u64(big).u32(small).copy();
      const expected = Buffer.alloc(12);
      expected.writeBigUInt64BE(BigInt(big));
      expected.writeUInt32BE(small, 8);
      return expected.equals(written) && readU64(written, 0) === big;
    }),
  );
  const writer = new ByteWriter(8);
  for (const wrong of [-1, 0.5, NaN, Infinity, 2 ** 53])
    t.throws(() => writer.u64(wrong), RangeError, String(wrong));
  t.throws(() => writer.u32(2 ** 32), RangeError);
  t.throws(() => writer.u8(256), RangeError);
  t.throws(() => writer.bytes32(randomBytes(31)), RangeError);
  t.throws(() => writer.bytes32('00'.repeat(31)), RangeError);
  t.equal(readU64(Uint8Array.of(0, 0x20, 0, 0, 0, 0, 0, 0), 0), undefined);
});

t.test('a str is its UTF-8 as given, an unpaired surrogate counts as U+FFFD', async (t) => {
  t.equal(bytes.toHex(new ByteWriter(1).str('é').copy()), '00000002c3a9');
  t.equal(bytes.toHex(new ByteWriter(1).str('e\u0301').copy()), '0000000365cc81', 'no normalisation');
  t.equal(bytes.toHex(new ByteWriter(1).str('\ud800').copy()), '00000003efbfbd');
});

t.test('a varUint is LEB128 in as few bytes as it needs', async (t) => {
  const expected = (value: number): number[] => {
    const found: number[] = [];
    for (let rest = BigInt(value); ; rest >>= 7n) {
      if (rest < 128n) return [...found, Number(rest)];
      found.push(Number(rest & 127n) | 128);
    }
  };
  const edges = Array.from({ length: 53 }, (_, bits) => 2 ** bits).flatMap((power) => [power - 1, power]);
  fc.assert(
    fc.property(fc.oneof(fc.constantFrom(...edges), fc.maxSafeNat()), (value) => {
      const written = new ByteWriter(1).varUint(value).copy();
      const reader = new CompactReader(written);
      t.same([...written], expected(value));
      return reader.varUint() === value && reader.position === written.length;
    }),
    { numRuns: 500 },
  );
  for (const value of [...edges, Number.MAX_SAFE_INTEGER])
    t.same([...new ByteWriter(1).varUint(value).copy()], expected(value));
});
