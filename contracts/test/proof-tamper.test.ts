import fc from 'fast-check';
import t from 'tap';
import { checkProof, type ProofCheckOptions } from '../src/proof-check.ts';
import { offline, online, proofs, trust } from './proof-support.ts';

/** What may be another value without anybody noticing: claims, said to be so. */
const CLAIMED_ONLY = /^\/(subject\/(deviceId|orgId)|block\/confirmations)$/;

/** JSON pointer of the value in which byte `at` of the compact text stands. */
function pointerAt(text: string, at: number): string {
  const places: [start: number, end: number, pointer: string][] = [];
  let cursor = 0;
  const walk = (value: unknown, pointer: string): void => {
    if (typeof value === 'object' && value !== null) {
      cursor += 1;
      const entries = Array.isArray(value) ? [...value.entries()] : Object.entries(value);
      for (const [key, inner] of entries) {
        if (!Array.isArray(value)) cursor += Buffer.byteLength(JSON.stringify(key)) + 1;
        walk(inner, `${pointer}/${String(key)}`);
        cursor += 1;
      }
      if (entries.length === 0) cursor += 1;
      return;
    }
    const length = Buffer.byteLength(JSON.stringify(value));
    places.push([cursor, cursor + length, pointer]);
    cursor += length;
  };
  walk(JSON.parse(text), '');
  return places.find(([start, end]) => start <= at && at < end)?.[2] ?? '';
}

t.test('every byte counts: flipped anywhere it fails, or was only claimed', async (t) => {
  const texts = proofs.map(({ proof }) => JSON.stringify(proof));
  const tampered = async (text: string, at: number, bits: number, options: ProofCheckOptions) => {
    const bytes = Buffer.from(text);
    bytes[at]! ^= bits;
    const { outcome } = await checkProof(bytes, trust, options);
    if (outcome === 'FAILS') return;
    const pointer = pointerAt(text, at);
    // Without headers from elsewhere, and without the header of the proof, the block's hash is a name.
    const isName = pointer === '/block/hash' && options === offline && text.includes('"header":null');
    if (!CLAIMED_ONLY.test(pointer) && !isName)
      throw new Error(`byte ${at} ^ ${bits} at ${pointer}: ${outcome}`);
  };
  await t.test('each byte of a whole proof', async (t) => {
    const text = texts[0]!;
    const bytes = Buffer.byteLength(text);
    for (let at = 0; at < bytes; at++) await tampered(text, at, 1, online);
    t.ok(bytes > 3_000, `${bytes} bytes`);
  });
  await t.test('any bits, of any of them', async (t) => {
    const property = fc.asyncProperty(
      fc.constantFrom(...texts),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      fc.constantFrom(online, offline),
      (text, at, bits, options) => tampered(text, at % Buffer.byteLength(text), bits, options),
    );
    const found = await fc.check(property, { numRuns: 4_000 });
    t.notOk(found.failed, fc.defaultReportMessage(found) ?? 'none was taken');
  });
});
