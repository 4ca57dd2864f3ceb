import { gzipSync } from 'node:zlib';
import t from 'tap';
import fc from '@sentinel-node/test-kit/properties';
import { LIMITS, type RegistryRecord } from '@sentinel-node/contracts';
import { decodeRegistryBody, encodeRegistryRecord, RegistryRecordTooLargeError } from '../src/index.ts';

const MIB = 1_048_576;

/** A record with a name of so many bytes. The body does not look at its shape. */
const named = (name: string): RegistryRecord => ({
  v: 1,
  stream: 'org:1',
  version: 1,
  orgId: '1',
  at: 0,
  by: null,
  entity: {
    kind: 'ORGANIZATION',
    id: '1',
    name,
    stripeId: null,
    creationDate: 0,
    users: [],
    removedUsers: [],
  },
  events: [],
});

/** Text that gzip makes hardly smaller than three quarters. */
function noise(characters: number): string {
  const LETTERS = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  let state = 1;
  return Array.from({ length: characters }, () => {
    state = (Math.imul(state, 1_664_525) + 1_013_904_223) >>> 0;
    return LETTERS[state >>> 26];
  }).join('');
}

t.test('a record below 1 MiB stays JSON', async (t) => {
  const record = named('Zahlungsverkehr 🚀');
  t.equal(Buffer.from(await encodeRegistryRecord(record)).toString(), JSON.stringify(record));
});

t.test('what is decoded is what was encoded, on both sides of 1 MiB', async () => {
  const size = fc.oneof(fc.nat(100), fc.integer({ min: MIB - 400, max: MIB + 100 }));
  await fc.assert(
    fc.asyncProperty(size, fc.string({ unit: 'grapheme', maxLength: 20 }), async (bytes, end) => {
      const record = named('x'.repeat(bytes) + end);
      const read = decodeRegistryBody(await encodeRegistryRecord(record));
      return JSON.stringify(read) === JSON.stringify(record);
    }),
    { numRuns: 40 },
  );
});

t.test('a large record is compressed', async (t) => {
  const body = await encodeRegistryRecord(named('x'.repeat(8 * MIB)));
  t.ok(body.byteLength < MIB / 8);
});

t.test('a record that is too large is refused, as JSON or compressed', async (t) => {
  await t.rejects(
    encodeRegistryRecord(named('x'.repeat(LIMITS.registryRecordBytes))),
    RegistryRecordTooLargeError,
  );
  await t.rejects(encodeRegistryRecord(named(noise(6 * MIB))), RegistryRecordTooLargeError);
});

t.test('a body that grows beyond the limit is not decompressed whole', (t) => {
  const bomb = gzipSync(Buffer.alloc(64 * MIB, ' '));
  t.ok(bomb.byteLength < LIMITS.logRecordBytes);
  t.throws(() => decodeRegistryBody(bomb), { code: 'ERR_BUFFER_TOO_LARGE' });
  t.end();
});

t.test('a body that is cut short, or is something else, is an error', async (t) => {
  const whole = await encodeRegistryRecord(named('x'.repeat(2 * MIB)));
  for (const body of [
    whole.subarray(0, whole.byteLength - 9),
    whole.subarray(0, 2),
    Buffer.from('{'),
    Buffer.alloc(0),
  ])
    t.throws(() => decodeRegistryBody(body));
  t.end();
});
