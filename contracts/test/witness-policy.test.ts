import fc from '@sentinel-node/test-kit/properties';
import t from 'tap';
import { parseCheckpoint, signCheckpoint } from '../src/log/checkpoint.ts';
import { cosign } from '../src/log/cosignature.ts';
import { formatVerifierKey } from '../src/log/verifier-key.ts';
import {
  checkWitnesses,
  COSIGNATURE_CLOCK_SECONDS,
  formatPolicy,
  isPossibleTime,
  misfitOf,
  parsePolicy,
  quorumOf,
  type WitnessPolicy,
} from '../src/log/witness-policy.ts';
import { cosignerOf, newNoteKey, verifyNote } from './note-keys.ts';

const keys = Array.from({ length: 7 }, newNoteKey);
const [logKey] = keys;
const logVkey = formatVerifierKey({ name: 'log.example', type: 1, publicKey: logKey!.publicKey });
const vkey = (at: number): string => formatVerifierKey(cosignerOf(`w${at}.example`, keys[at]!));

/** The example of C2SP tlog-policy, with keys. */
const EXAMPLE = `log ${logVkey}

witness X1 ${vkey(1)}
witness X2 ${vkey(2)}
witness X3 ${vkey(3)}
group X-witnesses 2 X1 X2 X3

witness Y1 ${vkey(4)}
witness Y2 ${vkey(5)}
witness Y3 ${vkey(6)}
group Y-witnesses any Y1 Y2 Y3

group X-and-Y all X-witnesses Y-witnesses
quorum X-and-Y
`;

function policyOf(text: string): WitnessPolicy {
  const read = parsePolicy(text);
  if ('problem' in read) throw new Error(`${read.line}: ${read.problem}`);
  return read.policy;
}

t.test('the example of tlog-policy: two of X and one of Y', (t) => {
  const policy = policyOf(EXAMPLE);
  const names = ['X1', 'X2', 'X3', 'Y1', 'Y2', 'Y3'];
  for (let some = 0; some < 64; some++) {
    const cosigned = new Set(names.filter((_, at) => (some >> at) % 2 === 1));
    const count = (of: string): number => [...cosigned].filter((name) => name.startsWith(of)).length;
    const expected = count('X') >= 2 && count('Y') >= 1 ? 'REACHED' : 'MISSING';
    t.equal(quorumOf(policy, cosigned), expected, [...cosigned].join(' '));
  }
  t.equal(quorumOf(policy, new Set(['X-and-Y2', 'X', 'none'])), 'MISSING');
  t.end();
});

t.test('a policy is written as it is read', (t) => {
  const policy = policyOf(EXAMPLE);
  t.same(policyOf(formatPolicy(policy)), policy);
  const spaced = `# ours\n\t witness \t a ${vkey(1)}  https://w.example/p/ \n  # more\n\nquorum\ta\n`;
  const read = policyOf(spaced);
  t.equal(formatPolicy(read), `witness a ${vkey(1)} https://w.example/p\nquorum a\n`);
  t.equal(quorumOf(read, new Set(['a'])), 'REACHED');
  t.equal(quorumOf(policyOf('quorum none\n'), new Set()), 'NONE');
  t.equal(formatPolicy(policyOf('quorum none\n')), 'quorum none\n');
  t.end();
});

t.test('a policy that is not one is refused at its line', (t) => {
  const one = `witness a ${vkey(1)}\n`;
  const sameAsLog = formatVerifierKey(cosignerOf('w', keys[0]!));
  const wrong: [text: string, line: number, problem: RegExp][] = [
    ['', 0, /newline/],
    ['quorum none', 0, /cut off/],
    [one, 0, /no quorum/],
    ['quorum none\r\n', 0, /control character/],
    ['quorum none\n\u007f\n', 0, /control character/],
    ['# \u0080\nquorum none\n', 0, /control character/],
    ['# \u009f\nquorum none\n', 0, /control character/],
    ['# \ud800\nquorum none\n', 0, /control character/],
    [`#${'x'.repeat(65_536)}\nquorum none\n`, 0, /larger than 65536/],
    ['quorum none\nquorum none\n', 2, /already/],
    ['quorum a\n', 1, /not defined/],
    ['quorum\n', 1, /a quorum is/],
    ['quorum none none\n', 1, /a quorum is/],
    ['\uFEFFquorum none\n', 1, /none of/],
    ['Quorum none\n', 1, /none of/],
    [`${one}witness a ${vkey(2)}\n`, 2, /taken/],
    [`${one}witness b ${vkey(1)}\n`, 2, /twice/],
    [`log ${logVkey}\nwitness a ${sameAsLog}\n`, 2, /one of a log too/],
    [`witness a ${sameAsLog}\nlog ${logVkey}\n`, 2, /one of a witness too/],
    [`witness none ${vkey(1)}\n`, 1, /taken/],
    ['witness a\n', 1, /a witness is/],
    [`witness a ${vkey(1)} https://x/ y\n`, 1, /a witness is/],
    [`witness a ${vkey(1)} ftp://x/\n`, 1, /URL/],
    [`witness a ${vkey(1)} x\n`, 1, /URL/],
    [`witness a ${logVkey}\n`, 1, /type 4/],
    [`witness a ${vkey(1)}x\n`, 1, /type 4/],
    [`log ${vkey(1)}\n`, 1, /type 1/],
    [`log ${logVkey} https://a/ b\n`, 1, /a log is/],
    [`log ${logVkey} a\n`, 1, /URL/],
    [`log ${logVkey}\nlog ${logVkey}\n`, 2, /twice/],
    [`${one}group g 1\n`, 2, /a group is/],
    [`${one}group g 0 a\n`, 2, /"0" is not/],
    [`${one}group g 2 a\n`, 2, /"2" is not/],
    [`${one}group g 01 a\n`, 2, /"01" is not/],
    [`${one}group g some a\n`, 2, /"some" is not/],
    [`${one}group g any b\n`, 2, /not defined/],
    [`${one}group g any none\n`, 2, /not defined/],
    [`${one}group g any g\n`, 2, /not defined/],
    [`${one}group g any a a\n`, 2, /member already/],
    [`${one}group g any a\ngroup h any a\n`, 3, /member already/],
    [`${one}group a any a\n`, 2, /taken/],
  ];
  for (const [text, line, problem] of wrong)
    t.match(parsePolicy(text), { line, problem }, JSON.stringify(text.slice(-30)));
  const lines = (count: number, of: (at: number) => string) =>
    Array.from({ length: count }, (_, at) => of(at)).join('');
  const many = Array.from({ length: 33 }, newNoteKey);
  const witness = (at: number): string => `witness w${at} ${formatVerifierKey(cosignerOf('w', many[at]!))}\n`;
  const log = (at: number): string =>
    `log ${formatVerifierKey({ name: 'l', type: 1, publicKey: many[at]!.publicKey })}\n`;
  const group = (at: number): string => `group g${at} any ${at === 0 ? 'a' : `g${at - 1}`}\n`;
  for (const [of, before] of [
    [witness, ''],
    [log, ''],
    [group, one],
  ] as const) {
    policyOf(`${before}${lines(32, of)}quorum none\n`);
    t.match(parsePolicy(`${before}${lines(33, of)}quorum none\n`), { problem: /more than 32/ });
  }
  t.end();
});

t.test('more cosignatures never undo a quorum', (t) => {
  const policy = policyOf(EXAMPLE);
  const some = fc.subarray(['X1', 'X2', 'X3', 'Y1', 'Y2', 'Y3', 'stranger']);
  fc.assert(
    fc.property(some, some, (a, b) => {
      const before = quorumOf(policy, new Set(a));
      return before === 'MISSING' || quorumOf(policy, new Set([...a, ...b])) === 'REACHED';
    }),
  );
  t.end();
});

t.test('what the witnesses of a policy signed', async (t) => {
  const policy = policyOf(EXAMPLE);
  const root = keys[0]!.publicKey;
  const note = signCheckpoint({ origin: 'log.example', size: 3, root }, root, logKey!.sign);
  const { text } = parseCheckpoint(note)!;
  const line = (at: number, of = text, by = at): string =>
    cosign(of, cosignerOf(`w${at}.example`, keys[at]!), 100 + at, keys[by]!.sign).line;
  const signed = parseCheckpoint(note + line(1) + line(4, 'another') + line(5, text, 6) + line(6))!;
  const { times, invalid } = await checkWitnesses(policy, signed, verifyNote, {
    closedAt: undefined,
    now: 200_000,
  });
  t.same(
    [...times],
    [
      ['X1', 101],
      ['Y3', 106],
    ],
  );
  t.same(invalid, ['Y1', 'Y2']);
  const other = keys[1]!.publicKey;
  t.equal(misfitOf(policy, 'log.example', root), undefined);
  t.match(misfitOf(policy, 'log.example', other), /none is of this log/);
  t.match(misfitOf(policy, 'other.example', root), /none is of this log/);
  const open = policyOf('quorum none\n');
  t.equal(misfitOf(open, 'other.example', root), undefined, 'a policy without logs is for every log');
  const own = policyOf(`witness a ${vkey(1)}\nquorum a\n`);
  t.equal(misfitOf(own, 'log.example', root), undefined);
  t.match(misfitOf(own, 'log.example', other), /witness a has the key of the log itself/);
});

t.test(
  'a cosignature is possible between the end of its batch and the check, by clocks some minutes apart',
  (t) => {
    const span = { closedAt: 5_000_000, now: 9_000_000 };
    const [first, last] = [5_000 - COSIGNATURE_CLOCK_SECONDS, 9_000 + COSIGNATURE_CLOCK_SECONDS];
    t.notOk(isPossibleTime(first - 1, span));
    for (const seconds of [first, 5_000, 7_000, 9_000, last])
      t.ok(isPossibleTime(seconds, span), `${seconds}`);
    t.notOk(isPossibleTime(last + 1, span));
    t.ok(isPossibleTime(1, { ...span, closedAt: undefined }), 'no batch of it is known');
    t.notOk(isPossibleTime(last + 1, { ...span, closedAt: undefined }));
    t.end();
  },
);

t.test('an impossible time does not count, and the newest possible one does', async (t) => {
  const policy = policyOf(EXAMPLE);
  const note = signCheckpoint(
    { origin: 'log.example', size: 3, root: logKey!.publicKey },
    logKey!.publicKey,
    logKey!.sign,
  );
  const { text } = parseCheckpoint(note)!;
  const line = (at: number, time: number): string =>
    cosign(text, cosignerOf(`w${at}.example`, keys[at]!), time, keys[at]!.sign).line;
  const signed = parseCheckpoint(
    note + line(1, 7_000) + line(1, 8_000) + line(1, 99_000) + line(2, 1_000) + line(2, 1_500),
  )!;
  const { times, impossible, invalid } = await checkWitnesses(policy, signed, verifyNote, {
    closedAt: 5_000_000,
    now: 9_000_000,
  });
  t.same([...times], [['X1', 8_000]]);
  t.same([...impossible], [['X2', 1_500]]);
  t.same(invalid, []);
});
