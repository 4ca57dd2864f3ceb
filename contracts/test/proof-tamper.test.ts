import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { checkProof, type ProofCheckOptions } from '../src/proof/check.ts';
import { places, pointerAt } from './json-pointers.ts';
import { offline, online, proofs, trust } from './proof-support.ts';

/** Values that no check covers, because they are reported as claims. */
const CLAIMED_ONLY = /^\/(subject\/(deviceId|orgId)|block\/confirmations)$/;

t.test('every byte counts: flipped anywhere it fails, or was only claimed', async (t) => {
  const texts = proofs.map(({ proof }) => JSON.stringify(proof));
  const tampered = async (text: string, at: number, bits: number, options: ProofCheckOptions) => {
    const bytes = Buffer.from(text);
    bytes[at]! ^= bits;
    const { outcome } = await checkProof(bytes, trust, options);
    if (outcome === 'FAILS') return;
    const pointer = pointerAt(text, at);
    // Without any header the path has no root to lead to.
    const isRootless = options === offline && text.includes('"header":null');
    const isName = isRootless && /^\/block\/(hash|bump)$/.test(pointer);
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
    const found = await fc.check(property, { numRuns: 1_000 });
    t.notOk(found.failed, fc.defaultReportMessage(found) ?? 'none was taken');
  });
});

/** A missing hint is a warning, not a forgery. */
const MAY_BE_ABSENT = /^\/block\/(header|coinbase)$/;

t.test('whatever stands in the place of a value, there is a verdict, and it is that it fails', async (t) => {
  const junk = [
    null,
    '',
    'x',
    0,
    1,
    -1,
    0.5,
    2 ** 53,
    true,
    [],
    {},
    [null],
    'ff',
    '00'.repeat(32),
    '\ud800',
    '—',
  ];
  let tried = 0;
  for (const { proof } of proofs)
    for (const [index, { pointer }] of places(structuredClone(proof)).entries())
      for (const value of junk) {
        const copy = structuredClone(proof);
        const { holder, key, value: before } = places(copy)[index]!;
        if (JSON.stringify(before) === JSON.stringify(value)) continue;
        (holder as Record<string, unknown>)[key] = value;
        const { outcome } = await checkProof(copy, trust, online);
        tried += 1;
        const isAllowed = CLAIMED_ONLY.test(pointer) || (value === null && MAY_BE_ABSENT.test(pointer));
        if (outcome !== 'FAILS' && !isAllowed) t.fail(`${pointer} = ${JSON.stringify(value)}: ${outcome}`);
      }
  t.ok(tried > 4_000, `${tried} documents`);
});

t.test('a member that is left out is missed, unless it was only claimed', async (t) => {
  for (const { name, proof } of proofs)
    for (const [index, { pointer }] of places(structuredClone(proof)).entries()) {
      const copy = structuredClone(proof);
      const { holder, key } = places(copy)[index]!;
      if (Array.isArray(holder)) holder.splice(Number(key), 1);
      else delete holder[key];
      const { outcome } = await checkProof(copy, trust, online);
      const isOwner = /^\/subject\/(deviceId|orgId)$/.test(pointer);
      if ((outcome === 'FAILS') === isOwner) t.fail(`${name}: ${pointer}: ${outcome}`);
    }
  t.pass('all were tried');
});

t.test('arbitrary bytes end with a verdict', async (t) => {
  const bytes = fc.oneof(
    fc.uint8Array({ maxLength: 300 }),
    fc.json().map((text) => Buffer.from(text)),
  );
  const property = fc.asyncProperty(bytes, async (document) => {
    return (await checkProof(document, trust, offline)).outcome === 'FAILS';
  });
  const found = await fc.check(property, { numRuns: 1_000 });
  t.notOk(found.failed, fc.defaultReportMessage(found) ?? 'all fail');
});
