import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { fromHex, toHex, utf8 } from '../src/bytes/bytes.ts';
import * as ids from '../src/ids.ts';
import { murmur2, partitionOf } from '../src/partitioner.ts';
import * as uuid from '../src/uuid.ts';

const times = fc.nat(2 ** 32).map((n) => n * 65_535);
const uuids = fc.uuid();
const bytesOf = (text: string): Uint8Array => {
  const bytes = new Uint8Array(16);
  uuid.uuidInto(text, bytes, 0);
  return bytes;
};
const FILE = '01932b5e-7c00-7a11-8b22-000000000003';

t.test('an event id has the time of a ULID in front', async (t) => {
  // The time of the example in the ULID specification: 1469918176385 is 01ARYZ6S41.
  t.equal(ids.eventId(1_469_918_176_385, 'LINK', ids.commandCause('x')).slice(0, 10), '01ARYZ6S41');
  t.match(ids.eventId(2 ** 48 - 1, 'LINK', ids.commandCause('x')), /^7ZZZZZZZZZ/);
  for (const wrong of [-1, 0.5, NaN, 2 ** 48]) {
    t.throws(() => ids.eventId(wrong, 'LINK', ids.commandCause('x')), RangeError, String(wrong));
  }
});

t.test('ids sort by time, carry it, and are the same for the same cause only', async () => {
  fc.assert(
    fc.property(times, times, uuids, fc.maxSafeNat(), fc.nat(1000), (a, b, file, sequence, index) => {
      const cause = ids.reportCause(file, sequence, index);
      const [first, second] = [ids.eventId(a, 'LINK', cause), ids.eventId(b, 'LINK', cause)];
      const next = ids.eventId(a, 'LINK', ids.reportCause(file, sequence, index + 1));
      return (
        ids.isEventId(first) &&
        ids.eventIdTime(first) === a &&
        first === ids.eventId(a, 'LINK', ids.reportCause(file, sequence, index)) &&
        Math.sign(a - b) === (first < second ? -1 : first > second ? 1 : 0) &&
        new Set([first, next, ids.eventId(a, 'ALERT', cause)]).size === 3
      );
    }),
  );
});

t.test('causes are bound to their parts', async (t) => {
  const causes = [
    ids.registryCause('device-1', 4, 0),
    ids.registryCause('device-1', 4, 1),
    ids.registryCause('device-1', 5, 0),
    ids.registryCause('device-2', 4, 0),
    ids.commandCause('device-1'),
    ids.reportCause(FILE, 4, 0),
    ids.reportCause(FILE, 4, 1),
  ];
  t.equal(new Set(causes.map(toHex)).size, causes.length);
  t.equal(
    toHex(ids.reportCause(FILE, 258, 3)),
    '01932b5e7c007a118b22000000000003' + '0000000000000102' + '00000003',
  );
  t.equal(toHex(ids.malformedCause('m')), '000000016d');
  t.throws(() => ids.reportCause('no uuid', 1, 0), RangeError);
});

t.test('what is not an event id', async (t) => {
  const id = ids.eventId(1, 'LINK', ids.commandCause('x'));
  for (const wrong of [id.toLowerCase(), id.slice(1), `8${id.slice(1)}`, `${id.slice(1)}U`, `${id}\n`, '']) {
    t.notOk(ids.isEventId(wrong), wrong);
    t.throws(() => ids.eventIdTime(wrong), RangeError);
  }
});

t.test('UUIDs: version 7 of RFC 9562, text and bytes', async (t) => {
  // RFC 9562 appendix A.6; the version and variant bits of the random bytes do not count.
  const random = fromHex('fcc3d8c4dc0c0c07398f');
  t.equal(uuid.uuidV7(0x017f22e279b0, random), '017f22e2-79b0-7cc3-98c4-dc0c0c07398f');
  t.throws(() => uuid.uuidV7(1, random.slice(1)), RangeError);
  t.throws(() => uuid.uuidV7(2 ** 48, random), RangeError);
  fc.assert(fc.property(uuids, (text) => uuid.isUuid(text) && uuid.uuidFromBytes(bytesOf(text)) === text));
  const wrong = [
    FILE.toUpperCase(),
    FILE.slice(1),
    `${FILE}0`,
    FILE.replaceAll('-', '0'),
    `${FILE.slice(0, -1)}g`,
    '',
  ];
  for (const text of wrong) {
    if (text !== FILE) t.throws(() => bytesOf(text), RangeError, text);
    t.notOk(uuid.isUuid(text), text);
  }
  t.throws(() => uuid.uuidFromBytes(random), RangeError);
  // One character of a UUID becomes any other: a digit, a dash, or one whose lowest bits look like a digit.
  const character = fc.oneof(
    fc.constantFrom(...'0fFgG-:`'),
    fc.string({ unit: 'binary', minLength: 1, maxLength: 1 }),
  );
  fc.assert(
    fc.property(uuids, fc.nat(35), character, (text, at, other) => {
      const changed = text.slice(0, at) + other + text.slice(at + 1);
      const isSpelt = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(changed);
      return (
        uuid.isUuid(changed) === isSpelt && uuid.readUuidInto(changed, new Uint8Array(16), 0) === isSpelt
      );
    }),
    { numRuns: 2_000 },
  );
});

t.test('a key as long as a UUID has the partition of its UTF-8, whatever its characters', async () => {
  const key = fc.string({ unit: 'binary', minLength: 30, maxLength: 40 });
  fc.assert(
    fc.property(
      fc.oneof(
        key,
        key.map((text) => text.padEnd(36, 'a').slice(0, 36)),
      ),
      (text) => {
        return partitionOf(text, 64) === (murmur2(utf8(text)) & 0x7fff_ffff) % 64;
      },
    ),
  );
});

t.test('partitions are those of Kafka', async (t) => {
  // org.apache.kafka.common.utils.UtilsTest, testMurmur2.
  const known = {
    '21': -973932308,
    foobar: -790332482,
    'a-little-bit-long-string': -985981536,
    'a-little-bit-longer-string': -1486304829,
    lkjh234lh9fiuh90y23oiuhsafujhadof229phr9h19h89h8: -58897971,
    abc: 479470107,
  };
  for (const [key, hash] of Object.entries(known)) {
    t.equal(murmur2(utf8(key)), hash, key);
    t.equal(partitionOf(key, 12), (hash & 0x7fffffff) % 12);
  }
  for (const wrong of [0, -1, 1.5, NaN]) t.throws(() => partitionOf('x', wrong), RangeError);
  fc.assert(
    fc.property(fc.string({ unit: 'binary' }), fc.integer({ min: 1, max: 1000 }), (key, count) => {
      const partition = partitionOf(key, count);
      return Number.isInteger(partition) && partition >= 0 && partition < count;
    }),
  );
});
