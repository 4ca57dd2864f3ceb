/** Tests which public keys of Ed25519 must not verify anything, by arithmetic on the curve. */
import t from 'tap';
import { isUsableEd25519Key } from '../src/log/ed25519-key.ts';
import { ED25519_CASES } from './ed25519-cases.ts';

const P = 2n ** 255n - 19n;
const mod = (value: bigint): bigint => ((value % P) + P) % P;
function power(base: bigint, exponent: bigint): bigint {
  let [result, square] = [1n, mod(base)];
  for (let left = exponent; left > 0n; left >>= 1n) {
    if (left & 1n) result = mod(result * square);
    square = mod(square * square);
  }
  return result;
}
const divided = (a: bigint, b: bigint): bigint => mod(a * power(b, P - 2n));
const D = divided(-121_665n, 121_666n);

/** The y of twice the point: −x² + y² = 1 + d·x²·y². */
function doubled(y: bigint): bigint {
  const yy = mod(y * y);
  const xx = divided(yy - 1n, D * yy + 1n);
  return divided(yy + xx, 2n - yy + xx);
}
const isOfSmallOrder = (y: bigint): boolean => doubled(doubled(doubled(y))) === 1n;

/** The key with this y, little-endian, and the sign of x. */
const keyOf = (y: bigint, sign = 0): Uint8Array =>
  Uint8Array.from(
    { length: 32 },
    (_, at) => Number((y >> BigInt(8 * at)) & 255n) | (at === 31 ? sign << 7 : 0),
  );
const yOf = (publicKey: string): bigint =>
  BigInt(`0x${Buffer.from(publicKey, 'hex').reverse().toString('hex')}`) & (2n ** 255n - 1n);

t.test('a key of small order is none, whatever its sign', async (t) => {
  const small = new Set([
    ...[0n, 1n, P - 1n],
    ...ED25519_CASES.filter(({ name }) => name.includes('small order')).map(({ publicKey }) =>
      yOf(publicKey),
    ),
  ]);
  const canonical = [...small].filter((y) => y < P);
  t.equal(canonical.length, 5, 'five y of eight points');
  for (const y of canonical) {
    t.ok(isOfSmallOrder(y));
    for (const sign of [0, 1]) t.notOk(isUsableEd25519Key(keyOf(y, sign)), `${y} with sign ${sign}`);
  }
});

t.test('other keys are usable, whatever their sign', async (t) => {
  const usual = ED25519_CASES.filter(({ holds }) => holds).map(({ publicKey }) => yOf(publicKey));
  for (const y of [2n, 3n, 4n, P - 2n, P - 3n, 2n ** 254n, ...usual]) {
    t.notOk(isOfSmallOrder(y));
    for (const sign of [0, 1]) t.ok(isUsableEd25519Key(keyOf(y, sign)), `${y} with sign ${sign}`);
  }
});

t.test('a second spelling of a key is none', async (t) => {
  for (let more = 0n; more < 19n; more += 1n)
    for (const sign of [0, 1]) t.notOk(isUsableEd25519Key(keyOf(P + more, sign)), `p + ${more}`);
});

t.test('the bytes of the key stay as they are', async (t) => {
  const key = keyOf(4n, 1);
  isUsableEd25519Key(key);
  t.same(key, keyOf(4n, 1));
});
