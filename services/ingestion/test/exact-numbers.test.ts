/** Tests that a number means the same to a reader who rounds and to one who does not. */
import t from 'tap';
import fc from '@sentinel-node/test-kit/properties';
import { holdsExactNumbers } from '../src/domain/exact-numbers.ts';

const holds = (number: string): boolean => holdsExactNumbers(`{"sequence":${number}}`);

t.test('integers in any spelling are exact', async (t) => {
  for (const number of [
    ...['0', '7', '1795255200000001', '-5', '0.0', '-0.0', '0e5', '0.0e-9', '10.0', '1e3', '1E+3', '1.5e1'],
    ...['100e-2', '0.001e3', '12.50e1', '9007199254740991.0', '9.007199254740991e15', '-1.5e1'],
  ])
    t.ok(holds(number), number);
});

t.test('fractions, and numbers that JSON.parse rounds, are not', async (t) => {
  for (const number of [
    ...['0.5', '1.5', '-1.5', '15e-1', '1e-3', '1795255200000001.1', '1795255200000000.0001', '1.25e1'],
    ...['9007199254740992.9', '9.0071992547409931e15', '123456789012345678e0'],
  ])
    t.notOk(holds(number), number);
});

t.test('a number has at most 40 characters', async (t) => {
  const spelled = (characters: number): string => `7.${'0'.repeat(characters - 2)}`;
  t.ok(holds(spelled(40)));
  t.notOk(holds(spelled(41)));
});

t.test('no huge number is written out', async (t) => {
  t.notOk(holds('1e40'));
  t.notOk(holds('1e999999999'));
  t.notOk(holds('1e-999999999'));
});

t.test('each number of a text counts, wherever spaces are', async (t) => {
  t.ok(holdsExactNumbers('{"a":1,"b": 2.0,"c" : 3e0}'));
  t.notOk(holdsExactNumbers('{"a":1.0,"b": 2.0,"c" : 3.5}'));
  t.notOk(holdsExactNumbers('{"a":1.5,"b":2.0}'));
  t.notOk(holdsExactNumbers('{"a"\n:\t1.5}'));
  t.ok(holdsExactNumbers('{"a":"1.5","b":"x: 1.5"}'), 'texts are none');
  t.ok(holdsExactNumbers('{"a":"\\": 1.5"}'), 'nor what looks like a member in a text');
  t.ok(holdsExactNumbers('{}'));
});

t.test('whatever is exact is the integer that JSON.parse gives, by arithmetic', async () => {
  const digits = fc.stringMatching(/^(0|[1-9][0-9]{0,17})$/);
  const parts = fc.record({
    whole: digits,
    fraction: fc.stringMatching(/^[0-9]{0,6}$/),
    exponent: fc.integer({ min: -8, max: 8 }),
    minus: fc.boolean(),
  });
  fc.assert(
    fc.property(parts, ({ whole, fraction, exponent, minus }) => {
      const number = `${minus ? '-' : ''}${whole}${fraction === '' ? '' : `.${fraction}`}e${exponent}`;
      const parsed = Number(number);
      if (Math.abs(parsed) > Number.MAX_SAFE_INTEGER) return; // the schema refuses it
      // Both sides times a power of ten, so that there are no fractions.
      const scale = 20n;
      const written = BigInt(`${whole}${fraction}`) * 10n ** (scale + BigInt(exponent - fraction.length));
      const isSame = Number.isInteger(parsed) && written === BigInt(Math.abs(parsed)) * 10n ** scale;
      if (holds(number) !== isSame) throw new Error(`${number} is read as ${parsed}`);
    }),
  );
});
