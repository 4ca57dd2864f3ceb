import { createHash, hash } from 'node:crypto';
import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { ALERT_CODE, ENTRY_KIND, type EntryKind } from '../src/codes.ts';
import { fromHex, toHex } from '../src/bytes/bytes.ts';
import * as hashes from '../src/hashes.ts';
import { flipBit } from './support.ts';

const u64 = fc.maxSafeNat();
const bytes32 = fc.uint8Array({ minLength: 32, maxLength: 32 });
const hash32 = bytes32.map(toHex);
const optional = { requiredKeys: ['nonce', 'acceptedAt', 'versionIndex', 'policyHash'] as const };
const fields = {
  nonce: fc.uint8Array({ minLength: 16, maxLength: 16 }),
  acceptedAt: u64,
  reportedAt: u64,
  sequence: u64,
  versionIndex: fc.nat(0xffff_ffff),
  contentHash: hash32,
  length: u64,
  reportHash: hash32,
  policyHash: hash32,
  causeNumber: u64,
  actor: fc.uuid(),
  noteHash: hash32,
  child: fc.uuid(),
};
const kinds = fc.constantFrom(...(Object.keys(ENTRY_KIND) as EntryKind[]));
const alerts = fc.constantFrom(...(Object.keys(ALERT_CODE) as (keyof typeof ALERT_CODE)[]));
const bodies = fc
  .tuple(fc.record(fields, { ...optional, requiredKeys: [...optional.requiredKeys] }), kinds, alerts)
  .map(([rest, kind, alertType]): hashes.EntryBody =>
    kind === 'BREAK' ? { ...rest, kind, alertType } : { ...rest, kind },
  );

/** Returns `value` with one bit changed, of the same type and shape. */
function oneBitOff(value: unknown, bit: number): unknown {
  if (value instanceof Uint8Array) return flipBit(value, bit);
  if (typeof value === 'number') return Number(BigInt(value) ^ (1n << BigInt(bit % 32)));
  const dashes = /-/g;
  const flipped = toHex(flipBit(fromHex((value as string).replace(dashes, '')), bit));
  const uuid = (value as string).includes('-');
  return uuid ? flipped.replace(/^(.{8})(.{4})(.{4})(.{4})/, '$1-$2-$3-$4-') : flipped;
}

t.test('any one-bit change of any field, and leaving one out, changes the body hash', async () => {
  fc.assert(
    fc.property(bodies, fc.nat(), (body, bit) => {
      const original = toHex(hashes.bodyHash(body));
      return Object.entries(body).every(([name, value]) => {
        if (name === 'kind' || name === 'alertType') return true;
        const without = Object.fromEntries(Object.entries(body).filter(([other]) => other !== name));
        const gone = ['nonce', 'acceptedAt', 'versionIndex', 'policyHash'].includes(name) || differs(without);
        return gone && differs({ ...body, [name]: oneBitOff(value, bit) });
      });
      function differs(other: object): boolean {
        return toHex(hashes.bodyHash(other as hashes.EntryBody)) !== original;
      }
    }),
  );
});

t.test('kinds and alert types all give different hashes; a BREAK, and only it, has a type', async (t) => {
  const base = { nonce: new Uint8Array(16), acceptedAt: 1, versionIndex: 0, policyHash: '00'.repeat(32) };
  const plain = (Object.keys(ENTRY_KIND) as EntryKind[]).filter((kind) => kind !== 'BREAK');
  const all: hashes.EntryBody[] = [
    ...plain.map((kind) => ({ ...base, kind })),
    ...(Object.keys(ALERT_CODE) as (keyof typeof ALERT_CODE)[]).map((alertType) => ({
      ...base,
      kind: 'BREAK' as const,
      alertType,
    })),
  ];
  t.equal(new Set(all.map((body) => toHex(hashes.bodyHash(body)))).size, 18);
  t.throws(() => hashes.bodyHash({ ...base, kind: 'BREAK' }), RangeError);
  t.throws(() => hashes.bodyHash({ ...base, kind: 'LINK', alertType: 'EMPTY' }), RangeError);
  t.throws(() => hashes.bodyHash({ ...base, kind: 'LINK', nonce: new Uint8Array(15) }), RangeError);
  t.throws(() => hashes.bodyHash({ ...base, kind: 'LINK', nonce: '00'.repeat(15) }), RangeError);
  t.same(
    hashes.bodyHash({ ...base, kind: 'LINK', nonce: '00'.repeat(16) }),
    hashes.bodyHash({ ...base, kind: 'LINK' }),
    'the nonce as bytes or as hex',
  );
});

t.test('no two bodies share their bytes, and a hash after a failed one is right', async (t) => {
  fc.assert(
    fc.property(bodies, bodies, (a, b) => {
      t.throws(() => hashes.bodyHash({ ...b, policyHash: 'zz'.repeat(32) }), RangeError);
      const direct = hash('sha256', hashes.encodeBody(a), 'hex');
      const same = toHex(hashes.encodeBody(a)) === toHex(hashes.encodeBody(b));
      return (
        toHex(hashes.bodyHash(a)) === direct &&
        same === (JSON.stringify(sorted(a)) === JSON.stringify(sorted(b)))
      );
    }),
    { numRuns: 50 },
  );
});

function sorted(body: hashes.EntryBody): unknown {
  return Object.entries(body)
    .sort(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, value]) => [name, String(value)]);
}

t.test('any one-bit change of any field changes the link hash', async (t) => {
  const links = fc.record({
    logId: bytes32,
    subject: fc.uuid(),
    // Neither 0 nor one bit away from 0, because entry 0 is refused with a previous hash.
    number: u64.filter((n) => n > 1 && !Number.isInteger(Math.log2(n))),
    previous: bytes32.map((bytes) => Uint8Array.from(bytes, (byte, i) => (i < 2 ? byte | 1 : byte))),
    bodyHash: bytes32,
  });
  fc.assert(
    fc.property(links, fc.integer({ min: 1 }), (link, bit) => {
      const input = { ...link, subjectType: 'FILE' as const };
      const original = toHex(hashes.linkHash(input));
      const others = Object.entries(link).map(([name, value]) => ({
        ...input,
        [name]: oneBitOff(value, bit | 2),
      }));
      const moved = [...others, { ...input, subjectType: 'DEVICE' as const }];
      return moved.every((other) => toHex(hashes.linkHash(other)) !== original);
    }),
  );
  const first = {
    logId: hashes.EMPTY_CONTENT_HASH,
    subjectType: 'FILE' as const,
    subject: fc.sample(fc.uuid(), 1)[0]!,
    number: 0,
    bodyHash: hashes.EMPTY_CONTENT_HASH,
  };
  t.same(
    hashes.linkHash(first),
    hashes.linkHash({ ...first, logId: fromHex(first.logId), previous: hashes.ZERO_HASH }),
  );
  t.equal(hashes.linkHashHex(first), toHex(hashes.linkHash(first)));
  t.throws(() => hashes.linkHash({ ...first, number: 1 }), RangeError, 'a later link needs the one before');
  t.throws(() => hashes.linkHash({ ...first, previous: first.logId }), RangeError, 'the first has none');
});

t.test('policies and notes', async (t) => {
  const policy: hashes.Policy = {
    configVersion: 1,
    modifiable: false,
    rolled: false,
    enabled: false,
    monitoringFrequency: 'PROBE',
    category: 'STANDARD',
    path: 'ab',
    rolledFilenameRegexp: 'c',
  };
  const others: Partial<hashes.Policy>[] = [
    {},
    { configVersion: 2 },
    { modifiable: true },
    { rolled: true },
    { enabled: true },
    { monitoringFrequency: 'FOLLOW' },
    { category: 'ADVANCED' },
    { category: 'MISSION_CRITICAL' },
    { path: 'a', rolledFilenameRegexp: 'bc' },
    { path: 'abc', rolledFilenameRegexp: '' },
  ];
  t.equal(new Set(others.map((other) => hashes.policyHash({ ...policy, ...other }))).size, others.length);
  t.match(hashes.policyHash(policy), /^[0-9a-f]{64}$/);
  const expected = createHash('sha256').update('sentinel/note/v1\0\0\0\0\x02ok').digest('hex');
  t.equal(hashes.noteHash('ok'), expected);
});

t.test('nonces', async (t) => {
  const record = new Uint8Array(16).fill(7);
  const nonces = [0, 1, 2, 3].map((i) => hashes.entryNonce(record, i));
  t.equal(new Set(nonces.map(toHex)).size, 4);
  t.same(
    [0, 1, 2, 3].map((i) => hashes.entryNonceHex(toHex(record), i)),
    nonces.map(toHex),
  );
  t.ok(nonces.every((nonce) => nonce.length === 16 && nonce.buffer.byteLength === 16));
  t.throws(() => hashes.entryNonce(new Uint8Array(15), 0), RangeError);
  t.throws(() => hashes.entryNonce(record, -1), RangeError);
  t.throws(() => hashes.entryNonceHex('07'.repeat(15), 0), RangeError);
});
