/** The inputs of a check besides the proofs: what is read, and what is said of what cannot be used. */
import t from 'tap';
import {
  consistencyFrom,
  INPUT_LIMITS,
  knownBlockFor,
  noteFrom,
  ownNetworkOf,
  sealsFrom,
  shownSize,
  trustFrom,
  unreadableReason,
  usableHeaders,
  VerifyInputError,
  withPolicy,
} from '../src/proof/inputs.ts';
import { utf8 } from '../src/bytes/bytes.ts';
import type { HeaderProblem } from '../src/proof/headers.ts';
import type { ProofTrust } from '../src/proof/proof.ts';
import { noteVerifierKey } from '../src/log/checkpoint.ts';
import { formatVerifierKey } from '../src/log/verifier-key.ts';
import { cosignerOf, newNoteKey } from './note-keys.ts';
import { knownBlockOf } from '../src/ledger/header-checkpoints.ts';
import { checkpoint, headers, NAMES, trust } from './proof-support.ts';
import { vector } from './support.ts';

const refused = (run: () => unknown): string => {
  try {
    run();
  } catch (error) {
    if (error instanceof VerifyInputError) return error.message;
    throw error;
  }
  return 'not refused';
};

t.test('sizes are said in the largest unit that is whole', async (t) => {
  for (const [bytes, said] of [
    [1, '1 bytes'],
    [1_023, '1023 bytes'],
    [1_024, '1 KiB'],
    [524_288, '512 KiB'],
    [1_048_576, '1 MiB'],
    [8_388_608, '8 MiB'],
    [1_049_600, '1025 KiB'],
  ] as const)
    t.equal(shownSize(bytes), said);
});

t.test('what cannot be read is told with its limit or its member', async (t) => {
  t.equal(unreadableReason({ problem: 'TOO_LARGE', member: '/x' }, 65_536), '(TOO_LARGE: 64 KiB at most)');
  t.equal(unreadableReason({ problem: 'NOT_JSON' }, 1), '(NOT_JSON)');
  t.equal(unreadableReason({ problem: 'UNKNOWN_FORM', member: '' }, 1), '(UNKNOWN_FORM)');
  t.equal(unreadableReason({ problem: 'UNKNOWN_FORM', member: '/a' }, 1), '(UNKNOWN_FORM at /a)');
});

t.test('a trust file', async (t) => {
  t.strictSame(trustFrom('t', utf8(JSON.stringify(trust))), trust);
  t.match(
    refused(() => trustFrom('t', utf8('{'))),
    /^t is no trust file: \{"origin".* \(NOT_JSON\)$/,
  );
  const large = utf8(' '.repeat(INPUT_LIMITS.trust + 1));
  t.match(
    refused(() => trustFrom('t', large)),
    /\(TOO_LARGE: 64 KiB at most\)$/,
  );
});

t.test('a policy of the checker takes the place of the one in the trust file', async (t) => {
  const witness = (name: string): string =>
    `witness ${name} ${formatVerifierKey(cosignerOf('w.example', newNoteKey()))}\n`;
  const policy = `${witness('w1')}quorum w1\n`;
  const policed = withPolicy('p', utf8(policy), trust);
  t.strictSame({ ...policed, policy: undefined }, { ...trust, policy: undefined });
  t.match(policed.policy, /^witness w1 [^]*quorum w1\n$/);
  t.match(
    refused(() => withPolicy('p', utf8('nonsense\n'), trust)),
    /^p:1 ./,
  );
  t.match(
    refused(() => withPolicy('p', utf8('# nothing\n'), trust)),
    /^p ./,
    'no line has the fault',
  );
  const ofOther = `log ${noteVerifierKey('other.example', newNoteKey().publicKey)}\n${policy}`;
  t.match(
    refused(() => withPolicy('p', utf8(ofOther), trust)),
    /^p is not for the log of the trust file: /,
  );
  const others = Array.from({ length: 30 }, (_, n) => witness(`w${n + 2}${'x'.repeat(1_200)}`));
  const long = `${policy}${others.join('')}`;
  t.match(
    refused(() => withPolicy('p', utf8(long), trust)),
    /^p is too long: without comments and blanks/,
  );
  t.equal(
    refused(() => withPolicy('p', Uint8Array.of(0xff), trust)),
    'p is not text in UTF-8',
  );
});

t.test('a network that the checker names has to be that of the trust file', async (t) => {
  t.strictSame(ownNetworkOf(undefined, trust), {});
  t.strictSame(ownNetworkOf(trust.network, trust), { ownNetwork: trust.network });
  t.equal(
    refused(() => ownNetworkOf('main', trust)),
    `the trust file is of the network ${trust.network}, not of main`,
  );
});

t.test('a checkpoint is text, within its limit', async (t) => {
  t.equal(noteFrom('c', utf8('a\n— b')), 'a\n— b');
  t.equal(noteFrom('c', new Uint8Array(INPUT_LIMITS.checkpoint).fill(0x61)).length, INPUT_LIMITS.checkpoint);
  const large = new Uint8Array(INPUT_LIMITS.checkpoint + 1).fill(0x61);
  t.equal(
    refused(() => noteFrom('c', large)),
    'c is too large: 64 KiB at most',
  );
  t.equal(
    refused(() => noteFrom('c', Uint8Array.of(0xff))),
    'c is not text in UTF-8',
  );
  t.equal(noteFrom('c', Uint8Array.of(0xef, 0xbb, 0xbf, 0x61)), '\ufeffa', 'a byte order mark stays');
});

t.test('a consistency proof', async (t) => {
  const path = { format: 'sentinel/consistency/v1' as const, from: 1, to: 2, path: ['00'.repeat(32)] };
  t.strictSame(consistencyFrom('c', utf8(JSON.stringify(path))), path);
  t.equal(
    refused(() => consistencyFrom('c', utf8(JSON.stringify({ ...path, from: 'x' })))),
    'c is no consistency proof (UNKNOWN_FORM at /from)',
  );
});

t.test('the known block is the one that was given, or that of the network', async (t) => {
  const known = (after: string | undefined, network = 'main') => knownBlockFor(after, network, NAMES);
  t.strictSame(known(undefined), knownBlockOf('main'));
  t.equal(
    refused(() => known(undefined, 'x')),
    'no block of the network x is known: the headers need KNOWN',
  );
  const { hash } = checkpoint;
  t.strictSame(known(`700000:${hash}`), { height: 700_000, hash });
  t.strictSame(known(`9999999999:${hash}:207fffff`), { height: 9_999_999_999, hash, bits: 0x207fffff });
  for (const wrong of [
    '',
    '7',
    `x7:${hash}`,
    `:${hash}`,
    `12345678901:${hash}`,
    `7:${hash.slice(1)}`,
    `7:${hash}0`,
    `7:${hash}:207ffff`,
    `7:${hash}:207fffff0`,
    `7:${hash.toUpperCase()}`,
    ` 7:${hash}`,
  ])
    t.match(
      refused(() => known(wrong)),
      /^KNOWN takes HEIGHT:HASH or HEIGHT:HASH:BITS/,
      wrong,
    );
});

t.test('headers that were refused say why, and where', async (t) => {
  t.equal(usableHeaders('h', headers, NAMES), headers);
  const said: Readonly<Record<HeaderProblem, RegExp>> = {
    BEFORE_FORK: /begin before the fork of 2018/,
    NOT_HEADERS: /are not headers of 80 bytes each/,
    TOO_MANY_HEADERS: /are too many: \d{7} at most/,
    NOT_LINKED: /do not follow the known block, or one another/,
    BITS_UNKNOWN: /do not begin with the known block: give its bits with KNOWN/,
    OTHER_CHAIN: /do not hold the block that is known at this height/,
    NO_WORK: /have a header without its work/,
    TOO_EASY: /have a header that is far too easy to make/,
    WRONG_DIFFICULTY: /have a header with another difficulty than the headers before it ask for/,
    TIME_TOO_OLD: /have a header that is not later than those before it/,
    TIME_TOO_NEW: /have a header whose time is more than two hours ahead/,
  };
  for (const [problem, text] of Object.entries(said) as [HeaderProblem, RegExp][]) {
    const message = refused(() => usableHeaders('h', { problem, height: 7 }, NAMES));
    t.match(message, text, problem);
    t.ok(message.startsWith('the headers in h ') && message.endsWith(` (${problem} at height 7)`), message);
  }
  t.match(
    refused(() => usableHeaders('h', { problem: 'NOT_HEADERS' }, NAMES)),
    / \(NOT_HEADERS\)$/,
  );
});

t.test('seals that are wrong are told with their place', async (t) => {
  const seals = async (...lines: readonly string[]): Promise<string> => {
    async function* pieces(): AsyncGenerator<Uint8Array> {
      for (const line of lines) yield await Promise.resolve(utf8(line));
    }
    const { trust: sealed } = vector<{ trust: ProofTrust }>('seals.json');
    return sealsFrom('s', pieces(), sealed, () => true).then(
      ({ size }) => `${size} seals`,
      (error: unknown) => (error instanceof VerifyInputError ? error.message : 'another error'),
    );
  };
  const { lines } = vector<{ lines: readonly string[] }>('seals.json');
  const [head = '', first = ''] = lines;
  t.equal(await seals(), 's holds no seals');
  t.equal(await seals(head), '0 seals');
  t.equal(await seals(head, first), '1 seals');
  t.match(await seals('x'), /^the seals in s fail at the first line: NOT_JSON: ./);
  t.match(await seals(head, first, first), /^the seals in s fail at batch 0: SEAL_BRANCH: ./);
});
