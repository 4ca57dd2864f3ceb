import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { BodyBuffer } from '../src/body-buffer.ts';

/** Lone surrogates too. */
const anyText = fc.array(fc.nat(0xffff), { maxLength: 50 }).map((units) => String.fromCharCode(...units));
/** Up to more than a chunk has. */
const texts = fc
  .tuple(fc.oneof(fc.string(), anyText), fc.constantFrom(1, 10, 1_000, 10_000))
  .map(([text, times]) => text.repeat(times));

t.test('bodies are the UTF-8 of their texts, whichever bodies follow them', async () => {
  const utf8 = new TextEncoder();
  fc.assert(
    fc.property(fc.array(texts, { maxLength: 30 }), (bodies) => {
      const buffer = new BodyBuffer();
      const encoded = bodies.map((text) => buffer.encode(text));
      return encoded.every((body, i) => Buffer.compare(body, utf8.encode(bodies[i])) === 0);
    }),
    { numRuns: 50 },
  );
});

t.test('a text that could just fill a chunk does, and leaves the next one whole', async (t) => {
  const buffer = new BodyBuffer();
  const longest = '€'.repeat(Math.floor(262_144 / 3));
  const [first, second, third] = [longest, 'a', `${longest}€`].map((text) => buffer.encode(text));
  t.same([first?.length, second?.length, third?.length], [262_143, 1, 262_146]);
  t.equal(new TextDecoder().decode(first), longest);
  t.equal(new TextDecoder().decode(second), 'a');
});
