import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { checkBundle, type BundleCheckOptions } from '../src/proof/check-bundle.ts';
import { bundleNamed, bundles, knowing, two } from './bundle-support.ts';
import { places, pointerAt } from './json-pointers.ts';
import { offline, trust } from './proof-support.ts';

/** Returns true for values that no check covers: those reported as claims. A GENESIS covers the device. */
const isClaimed = (pointer: string, text: string): boolean =>
  /^\/(subject\/orgId|blocks\/\d+\/confirmations)$/.test(pointer) ||
  (pointer === '/subject/deviceId' && !text.includes('"GENESIS"'));

async function tampered(text: string, at: number, bits: number, options: BundleCheckOptions) {
  const bytes = Buffer.from(text);
  bytes[at]! ^= bits;
  const { outcome } = await checkBundle(bytes, trust, options);
  if (outcome === 'FAILS') return;
  const pointer = pointerAt(text, at);
  if (!isClaimed(pointer, text)) throw new Error(`byte ${at} ^ ${bits} at ${pointer}: ${outcome}`);
}

t.test('every byte counts: flipped anywhere it fails, or was only claimed', async (t) => {
  await t.test('each byte of a bundle', async (t) => {
    const text = JSON.stringify(bundleNamed('a part'));
    const bytes = Buffer.byteLength(text);
    for (let at = 0; at < bytes; at++) await tampered(text, at, 1, knowing);
    t.ok(bytes > 4_000, `${bytes} bytes`);
  });
  await t.test('any bits, of any of them', async (t) => {
    const property = fc.asyncProperty(
      fc.constantFrom(...bundles.map(({ bundle }) => JSON.stringify(bundle))),
      fc.nat(),
      fc.integer({ min: 1, max: 255 }),
      fc.constantFrom(knowing, offline),
      (text, at, bits, options) => tampered(text, at % Buffer.byteLength(text), bits, options),
    );
    const found = await fc.check(property, { numRuns: 750 });
    t.notOk(found.failed, fc.defaultReportMessage(found) ?? 'none was taken');
  });
});

/** A missing hint is a warning, not a forgery. */
const MAY_BE_ABSENT = /^\/blocks\/\d+\/(header|coinbase)$/;

t.test('whatever stands in the place of a value, or is left out, fails or was only claimed', async (t) => {
  const text = JSON.stringify(two);
  let tried = 0;
  for (const [index, { pointer, value: before }] of places(structuredClone(two)).entries())
    for (const value of [undefined, null, '', 0, -1, 2 ** 53, [], {}, '00'.repeat(32)]) {
      if (JSON.stringify(before) === JSON.stringify(value)) continue;
      const copy = structuredClone(two);
      const { holder, key } = places(copy)[index]!;
      if (value !== undefined) Object.assign(holder, { [key]: value });
      else if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      const { outcome } = await checkBundle(copy, trust, knowing);
      tried += 1;
      const isOwner = value === undefined && /^\/subject\/(deviceId|orgId)$/.test(pointer);
      const isAllowed =
        isClaimed(pointer, text) || isOwner || (value === null && MAY_BE_ABSENT.test(pointer));
      if (outcome !== 'FAILS' && !isAllowed) t.fail(`${pointer} = ${JSON.stringify(value)}: ${outcome}`);
    }
  t.ok(tried > 1_000, `${tried} documents`);
});
