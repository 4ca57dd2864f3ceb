/** Tests the only form in which a chain of seals spends outputs: one signature of the whole transaction, and one key. */
import t from 'tap';
import { isKeySpend } from '../src/ledger/key-spend.ts';

/** Half of the order of secp256k1, the highest s that the form allows. */
const HALF = '7fffffffffffffffffffffffffffffff5d576e7357a4501ddfe92f46681b20a0';
const OVER_HALF = `${HALF.slice(0, -1)}1`;
const SCRIPT = `76a914${'5a'.repeat(20)}88ac`;
const KEY = `02${'11'.repeat(32)}`;

/** A signature in DER with its hash type; hex. */
function signature({ r = '22'.repeat(32), s = '33'.repeat(32), type = '41' } = {}): string {
  const integers = [r, s].map((value) => `02${lengthOf(value)}${value}`).join('');
  return `30${lengthOf(integers)}${integers}${type}`;
}

const lengthOf = (hex: string): string => (hex.length / 2).toString(16).padStart(2, '0');
const pushed = (...items: readonly string[]): string => items.map((item) => lengthOf(item) + item).join('');
const isSpend = (unlocking: string, script = SCRIPT): boolean =>
  isKeySpend(new Uint8Array(Buffer.from(script, 'hex')), new Uint8Array(Buffer.from(unlocking, 'hex')));

t.test('one signature and one compressed key spend an output to the hash of a key', async (t) => {
  t.ok(isSpend(pushed(signature(), KEY)));
  t.ok(isSpend(pushed(signature({ r: `00${'ff'.repeat(32)}` }), KEY)), 'a longer r');
  t.ok(isSpend(pushed(signature({ r: '01', s: '01' }), KEY)), 'short numbers');
});

t.test('s is at most half of the order', async (t) => {
  t.ok(isSpend(pushed(signature({ s: HALF }), KEY)));
  t.notOk(isSpend(pushed(signature({ s: OVER_HALF }), KEY)));
  t.notOk(isSpend(pushed(signature({ s: `00${'ff'.repeat(32)}` }), KEY)), 'of 33 bytes');
  t.notOk(isSpend(pushed(signature({ s: `00${HALF}` }), KEY)), 'a zero before it');
});

t.test('the signature is of the whole transaction', async (t) => {
  for (const type of ['01', '40', '42', '43', 'c1', '00'])
    t.notOk(isSpend(pushed(signature({ type }), KEY)), `hash type ${type}`);
});

t.test('other scripts do not spend it', async (t) => {
  const others: Readonly<Record<string, string>> = {
    nothing: '',
    'no key': pushed(signature()),
    'no signature': pushed(KEY),
    'an uncompressed key': pushed(signature(), `04${'11'.repeat(64)}`),
    'a key of another length': pushed(signature(), KEY.slice(2)),
    'two keys': pushed(signature(), KEY, KEY),
    'a byte more': `${pushed(signature(), KEY)}51`,
    'a byte less': pushed(signature(), KEY).slice(0, -2),
    'another push': pushed(signature()) + `20${KEY}`,
  };
  for (const [what, unlocking] of Object.entries(others)) t.notOk(isSpend(unlocking), what);
});

t.test('other outputs are not spent by a key', async (t) => {
  for (const script of [
    '',
    '51',
    `a914${'5a'.repeat(20)}87`,
    `00${SCRIPT}`,
    `${SCRIPT}51`,
    SCRIPT.slice(0, -2),
  ])
    t.notOk(isSpend(pushed(signature(), KEY), script), script);
});
