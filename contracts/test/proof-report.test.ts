/** Report of a check: the text that command and page share, and the order of the outcomes. */
import t from 'tap';
import { fromHex, utf8 } from '../src/bytes/bytes.ts';
import { checkProof } from '../src/proof/check.ts';
import { compareContent } from '../src/proof/content.ts';
import { noteVerifierKey } from '../src/log/checkpoint.ts';
import { checkHeaders, headerSteps } from '../src/proof/headers.ts';
import type { ProofHolding } from '../src/proof/findings.ts';
import { policyOfTrust } from '../src/proof/json.ts';
import {
  consistencyFrom,
  INPUT_LIMITS,
  knownBlockFor,
  noteFrom,
  shownSize,
  trustFrom,
  usableHeaders,
  VerifyInputError,
  withPolicy,
} from '../src/proof/inputs.ts';
import {
  CHECK_EXIT_CODES,
  endOf,
  endsWithKept,
  endWords,
  outcomeWords,
  printedCheck,
  type CheckedProof,
  type CheckEnd,
} from '../src/proof/report.ts';
import { concludeCheck, printedChecks } from '../src/proof/conclusion.ts';
import type { Proof } from '../src/proof/proof.ts';
import {
  checkpoint,
  headersHex,
  knowing,
  named,
  NAMES,
  offline,
  online,
  RECORDED_NETWORK,
  trust,
  whole,
} from './proof-support.ts';

async function checked(
  proof: Proof,
  more: Partial<CheckedProof> = {},
  options = knowing(proof),
): Promise<CheckedProof> {
  return {
    verdict: await checkProof(proof, trust, options),
    file: undefined,
    headers: options.headers,
    ...more,
  };
}

t.test('each end has its exit code, and only HOLDS has 0', async (t) => {
  t.strictSame(CHECK_EXIT_CODES, {
    HOLDS: 0,
    FAILS: 1,
    NOT_PUBLIC: 3,
    INCOMPLETE: 4,
    SELF_SUPPLIED: 5,
    ONE_LOG_NOT_SHOWN: 6,
    CONFLICT: 7,
  });
  t.match(endWords('ONE_LOG_NOT_SHOWN', NAMES), {
    title: 'HOLDS, ONE LOG NOT SHOWN',
    text: /give SEALS, CHECKPOINT or POLICY$/,
  });
  t.match(endWords('SELF_SUPPLIED', NAMES), { title: 'NO BLOCK KNOWN', text: /give HEADERS$/ });
  for (const end of Object.keys(CHECK_EXIT_CODES) as CheckEnd[])
    t.match(endWords(end, NAMES), { title: /^[A-Z, ]+$/, text: /^[a-z]/ }, end);
});

t.test('a kept checkpoint that ends before the batch never shows one log in words', (t) => {
  const found = (code: ProofHolding, numbers?: readonly number[]) => ({
    code,
    text: '',
    ...(numbers && { numbers }),
  });
  const older = (numbers?: readonly number[]) => [
    { code: 'KEPT_CHECKPOINT_OLDER' as const, text: '', ...(numbers && { numbers }) },
  ];
  const continued = { holds: [found('KEPT_CHECKPOINT_CONTINUED')], warnings: older() };
  t.ok(endsWithKept(continued));
  t.notOk(endsWithKept({ holds: [found('KEPT_CHECKPOINT')], warnings: [] }));
  for (const code of ['SEALS', 'WITNESSED'] as const)
    t.notOk(endsWithKept({ ...continued, holds: [found(code)] }), code);
  const entries = { holds: [found('WITNESSED', [3])], warnings: older([3, 4]) };
  t.ok(endsWithKept(entries), 'entry 4 has nothing else');
  t.notOk(endsWithKept({ ...entries, holds: [found('WITNESSED', [3, 4])] }));
  const verdict = { outcome: 'HOLDS' as const, ...continued };
  const { title, text } = outcomeWords({ file: undefined, verdict }, NAMES);
  t.equal(title, 'HOLDS');
  t.match(text, /^the entry is in a block, .* no second log is excluded that begins after it$/);
  t.notMatch(text, /one log is shown/);
  t.match(endWords('HOLDS', NAMES).text, /one log is shown$/);
  t.end();
});

t.test('the most serious end of several proofs counts', async (t) => {
  const holds = await checked(whole);
  const oneLog = await checked(whole, {}, online);
  const noBlock = await checked(whole, {}, offline);
  const waits = await checked(named('sent'), {}, online);
  const fails = await checked({ ...whole, entry: { ...whole.entry, length: 1 } });
  const inOrder = [fails, waits, noBlock, oneLog, holds];
  t.same(inOrder.map(endOf), ['FAILS', 'INCOMPLETE', 'SELF_SUPPLIED', 'ONE_LOG_NOT_SHOWN', 'HOLDS']);
  inOrder.forEach((one, at) => {
    for (const other of inOrder.slice(at)) {
      t.equal(concludeCheck([one, other]).end, endOf(one));
      t.equal(concludeCheck([other, one]).end, endOf(one));
    }
  });
});

t.test('every two proofs that the log signed are held against each other', async (t) => {
  const holds = await checked(whole);
  const fails = await checked({ ...whole, entry: { ...whole.entry, length: 1 } });
  t.same(concludeCheck([holds]).pairs, []);
  t.same(concludeCheck([holds, fails, holds]).pairs, [{ first: 0, second: 2, conflicts: [], warnings: [] }]);
  const other = {
    ...holds,
    verdict: { ...holds.verdict, proof: { ...whole, entry: { ...whole.entry, linkHash: '00'.repeat(32) } } },
  };
  const conflicts = [{ code: 'ENTRY_CONFLICT', numbers: [whole.entry.number] }];
  t.same(concludeCheck([holds, other, holds]), {
    end: 'CONFLICT',
    pairs: [
      { first: 0, second: 1, conflicts, warnings: [] },
      { first: 0, second: 2, conflicts: [], warnings: [] },
      { first: 1, second: 2, conflicts, warnings: [] },
    ],
  });
  const failing = { ...other, verdict: { ...other.verdict, outcome: 'FAILS' as const } };
  t.equal(concludeCheck([holds, failing]).end, 'CONFLICT', 'it is signed, whatever else does not hold');
  const unsigned = { ...other, verdict: { ...other.verdict, holds: [] } };
  t.same(concludeCheck([holds, unsigned]), {
    end: 'HOLDS',
    pairs: [{ first: 0, second: 1, conflicts: [], warnings: ['UNSIGNED_CONTRADICTION'] }],
  });
  const elsewhere = { ...whole, transaction: { ...whole.transaction!, txid: '44'.repeat(32) } };
  const copied = { ...holds, verdict: { ...holds.verdict, proof: elsewhere } };
  t.same(concludeCheck([holds, copied]), {
    end: 'ONE_LOG_NOT_SHOWN',
    pairs: [{ first: 0, second: 1, conflicts: [], warnings: ['TRANSACTIONS_DIFFER'] }],
  });
  const printed = (...of: CheckedProof[]): string => printedChecks(of, concludeCheck(of), NAMES);
  const agree = 'The two proofs do not contradict each other.\n';
  t.match(
    printed(holds, other),
    /^ {2}CONFLICT ENTRY_CONFLICT: .* \(entry 5\)\nCONFLICT: .*\n\nTogether: CONFLICT: both proofs carry.*\n$/m,
  );
  for (const of of [unsigned, copied])
    t.match(
      printed(holds, of),
      /^ {2}warning {2}\w+: .*\nThe two proofs are no evidence against the log\.$/m,
    );
  t.equal(printed(holds), printedCheck(holds, NAMES));
  const last = printedCheck(holds, NAMES).trimEnd().split('\n').at(-1)!;
  t.ok(printed(holds, holds).endsWith(`\n${agree}\nTogether: ${last}\n`));
  for (const of of [
    [holds, fails],
    [fails, holds],
  ] as const)
    t.match(
      printed(...of)
        .trimEnd()
        .split('\n')
        .at(-1),
      /^Together: FAILS: a proof does not hold by itself, and was compared with no other$/,
    );
  const sent = named('sent');
  const replaced = { ...sent, transaction: { ...sent.transaction!, txid: '44'.repeat(32) } };
  const waits = await checked(sent, {}, online);
  const waiting = { ...waits, verdict: { ...waits.verdict, proof: replaced } };
  const concluded = concludeCheck([holds, waiting]);
  t.strictSame(concluded, {
    end: 'INCOMPLETE',
    pairs: [{ first: 0, second: 1, conflicts: [], warnings: ['TRANSACTION_REPLACED'] }],
  });
  t.match(
    printed(holds, waiting),
    new RegExp(`^ {2}warning {2}TRANSACTION_REPLACED: .*\n${agree}\nTogether: INCOMPLETE: `, 'm'),
  );
});

t.test('an entry of any kind is named by number, kind and cause', async (t) => {
  const kinds = [
    ['GENESIS', {}, /entry 5 \(GENESIS\)$/m],
    ['DISMISSED', { causeNumber: 3 }, /entry 5 \(DISMISSED of entry 3\)$/m],
    ['RESET', { causeNumber: 4 }, /entry 5 \(RESET of entry 4\)$/m],
    [
      'LINK',
      { contentHash: 'ab'.repeat(32), length: 7 },
      /entry 5 \(LINK\), 7 bytes with SHA-256 (ab){32}$/m,
    ],
  ] as const;
  const { contentHash: _hash, length: _length, alertType: _type, ...bare } = whole.entry;
  for (const [kind, fields, said] of kinds)
    t.match(
      printedCheck(await checked({ ...whole, entry: { ...bare, number: 5, kind, ...fields } }), NAMES),
      said,
    );
});

const sha256OfNothing = 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855';

t.test('a file that is another makes a proof fail that holds', async (t) => {
  const hashed =
    (hash: string, length: number, goesOn = false) =>
    () =>
      Promise.resolve({ hash, length, goesOn });
  const { contentHash = '', length = 0 } = whole.entry;
  const same = await compareContent('f', whole.entry, hashed(contentHash, length, true));
  t.same(same, {
    isSame: true,
    isCompared: true,
    text: `The first ${length} bytes of f are those of the entry; what follows them is not part of it.`,
  });
  const exact = await compareContent('f', whole.entry, hashed(contentHash, length));
  t.equal(exact.text, `The first ${length} bytes of f are those of the entry.`);
  const short = await compareContent('f', whole.entry, hashed(contentHash, length - 1));
  t.same(short, { isSame: false, isCompared: true, text: `f has only ${length - 1} of ${length} bytes.` });
  const other = await compareContent('f', whole.entry, hashed('00'.repeat(32), length));
  t.same(other, {
    isSame: false,
    isCompared: true,
    text: `The first ${length} bytes of f are not those of the entry.`,
  });
  const none = await compareContent('f', undefined, hashed(contentHash, length));
  t.same(none, { isSame: false, isCompared: false, text: 'The entry says nothing of a content.' });
  const nothing = { contentHash: sha256OfNothing, length: 0 };
  const began = await compareContent('f', nothing, hashed(sha256OfNothing, 0, true));
  t.same(began, {
    isSame: false,
    isCompared: false,
    text: 'The entry is of an empty file, as which every file begins.',
  });
  t.match(await compareContent('f', nothing, hashed(sha256OfNothing, 0)), { isSame: true, isCompared: true });

  const holds = await checked(whole, { file: same });
  t.equal(endOf(holds), 'HOLDS');
  t.match(printedCheck(holds, NAMES), /^ {2}holds {4}FILE: The first/m);
  const differs = await checked(whole, { file: other });
  t.equal(endOf(differs), 'FAILS');
  t.same(outcomeWords(differs, NAMES), { title: 'FAILS', text: 'the file is another' });
  t.match(printedCheck(differs, NAMES), /^ {2}FAILS {4}FILE: [^]*\nFAILS: the file is another\n$/m);
  t.same(outcomeWords(await checked(whole, { file: began }), NAMES), {
    title: 'FAILS',
    text: 'the file was not compared: the entry is of an empty file, as which every file begins',
  });
  const notCompared = await checked(whole, { file: none });
  t.equal(endOf(notCompared), 'FAILS');
  t.match(
    printedCheck(notCompared, NAMES),
    /\nFAILS: the file was not compared: the entry says nothing of a content\n$/,
  );
});

t.test('the worth of the headers is told', async (t) => {
  const { headers: _none, ...without } = await checked(whole);
  t.match(
    printedCheck(await checked(whole), NAMES),
    /^ {2}block 600002, 7 confirmations; the given headers end at \d{4}-.*Z and took about 2\^\d+ hashes to make\n {2}the difficulty of \d+ of them/m,
  );
  t.notMatch(printedCheck({ ...without, headers: undefined }, NAMES), /hashes to make/);
});

t.test('headers are checked a step at a time to the same end', (t) => {
  const bytes = fromHex(headersHex);
  const steps = headerSteps(bytes, checkpoint, RECORDED_NETWORK);
  const counted: number[] = [];
  for (;;) {
    const { done, value } = steps.next();
    if (done === true) {
      const { headerAt: _own, ...chain } = usableHeaders('h', value, NAMES);
      t.match(checkHeaders(bytes, checkpoint, RECORDED_NETWORK), chain);
      break;
    }
    counted.push(value);
  }
  const count = bytes.length / 80;
  t.same(counted.at(-1), count);
  t.same(
    counted,
    counted.map((_, at) => count - counted.length + 1 + at),
  );
  t.end();
});

const refused = (run: () => unknown, said: RegExp) => {
  try {
    run();
    t.fail(`not refused: ${said.source}`);
  } catch (error) {
    t.ok(error instanceof VerifyInputError, said.source);
    t.match(String(error).replace('Error: ', ''), said);
  }
};

t.test('what cannot be used is told by name, with its limit', (t) => {
  refused(() => trustFrom('a', utf8('{')), /^a is no trust file: .* \(NOT_JSON\)$/);
  refused(() => trustFrom('a', utf8(JSON.stringify({ ...trust, more: 1 }))), /\(UNKNOWN_FORM at \/more\)$/);
  refused(() => trustFrom('a', new Uint8Array(INPUT_LIMITS.trust + 1)), /\(TOO_LARGE: 64 KiB at most\)$/);
  t.same(trustFrom('a', utf8(JSON.stringify(trust))), trust);
  refused(() => consistencyFrom('c', utf8('[]')), /^c is no consistency proof \(UNKNOWN_FORM\)$/);
  refused(() => noteFrom('n', Uint8Array.of(0xff)), /^n is not text in UTF-8$/);
  refused(
    () => noteFrom('n', new Uint8Array(INPUT_LIMITS.checkpoint + 1)),
    /^n is too large: 64 KiB at most$/,
  );
  t.equal(noteFrom('n', utf8('— ä\n')), '— ä\n');
  refused(() => withPolicy('p', utf8('what\n'), trust), /^p:1 /);
  refused(() => withPolicy('p', utf8('quorum none'), trust), /^p .*newline/);
  t.match(withPolicy('p', utf8('quorum none\n'), trust), { ...trust, policy: /quorum none/ });
  // Comments do not count, and of the lines only what a trust file keeps of them.
  const policyOf = (length: number) => {
    const line = (name: string, key = fromHex(trust.publicKey)) => `log ${noteVerifierKey(name, key)}`;
    const own = `${line(trust.origin)}\nquorum none\n`;
    const other = line(
      'b',
      Uint8Array.from({ length: 32 }, (_, at) => at),
    );
    const address = `https://${'a'.repeat(length - own.length - other.length - 10)}`;
    return utf8(`# ${'c'.repeat(1_000)}\n${other}  ${address}\n${own}`);
  };
  const most = withPolicy('p', policyOf(32_768), trust);
  t.equal(most.policy!.length, 32_768);
  t.not(policyOfTrust(most), 'UNUSABLE');
  refused(
    () => withPolicy('p', policyOf(32_769), trust),
    /^p is too long: without comments and blanks 32768 characters at most$/,
  );
  t.equal(shownSize(524_288), '512 KiB');
  t.equal(shownSize(3 * 1_048_576), '3 MiB');
  t.equal(shownSize(7), '7 bytes');
  t.end();
});

t.test('a known block is read, or that of the network taken', (t) => {
  const hash = 'ab'.repeat(32);
  t.same(knownBlockFor(`7:${hash}`, 'main', NAMES), { height: 7, hash });
  t.same(knownBlockFor(`7:${hash}:1d00ffff`, 'main', NAMES), { height: 7, hash, bits: 0x1d00ffff });
  t.match(knownBlockFor(undefined, 'main', NAMES), { height: 800_000 });
  refused(
    () => knownBlockFor(undefined, 'test', NAMES),
    /^no block of the network test is known: the headers need KNOWN$/,
  );
  for (const wrong of ['7', `7:${hash}:1`, `x7:${hash}`, `7:${hash}:1d00ffff0`, `7:${hash.toUpperCase()}`])
    refused(() => knownBlockFor(wrong, 'main', NAMES), /^KNOWN takes HEIGHT:HASH or HEIGHT:HASH:BITS/);
  refused(
    () => usableHeaders('h', { problem: 'BITS_UNKNOWN' }, NAMES),
    /^the headers in h do not begin with the known block: give its bits with KNOWN \(BITS_UNKNOWN\)$/,
  );
  refused(
    () => usableHeaders('h', { problem: 'NO_WORK', height: 9 }, NAMES),
    /^the headers in h have a header without its work \(NO_WORK at height 9\)$/,
  );
  refused(() => usableHeaders('h', { problem: 'TOO_MANY_HEADERS' }, NAMES), /are too many: 4000000 at most/);
  t.end();
});
