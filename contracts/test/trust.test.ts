import t from 'tap';
import { fromHex, noteVerifierKey, readTrustFile, utf8, type ProofTrust } from '../src/index.ts';
import { vector } from './support.ts';

const { trust } = vector('proof.json') as { trust: ProofTrust };
const vkey = noteVerifierKey(trust.origin, fromHex(trust.publicKey));
const read = (file: object) => readTrustFile(utf8(JSON.stringify(file)));

t.test('a trust file is read with a vkey of its key, and without one', (t) => {
  t.same(read(trust), { value: trust });
  t.same(read({ ...trust, vkey }), { value: { ...trust, vkey } });
  t.end();
});

t.test('a vkey of another key or name is refused', (t) => {
  const other = trust.publicKey.replace(/^./, (digit) => (digit === '0' ? '1' : '0'));
  const wrong = [
    noteVerifierKey(`${trust.origin}x`, fromHex(trust.publicKey)),
    noteVerifierKey(trust.origin, fromHex(other)),
    `${vkey} `,
    vkey.toUpperCase(),
    '',
    'x'.repeat(513),
    7,
  ];
  for (const one of wrong)
    t.same(read({ ...trust, vkey: one }), { problem: 'UNKNOWN_FORM', member: '/vkey' }, String(one));
  t.same(read({ ...trust, more: 1 }), { problem: 'UNKNOWN_FORM', member: '/more' });
  t.end();
});

t.test('an origin that names no log, and a key that signs nothing, are refused', (t) => {
  for (const [member, value] of [
    ['origin', 'two words'],
    ['origin', 'a+b'],
    ['origin', 'bell\u0007'],
    ['publicKey', '00'.repeat(32)],
    ['publicKey', 'ff'.repeat(32)],
  ] as const)
    t.same(read({ ...trust, [member]: value }), { problem: 'UNKNOWN_FORM', member: `/${member}` }, value);
  t.end();
});
