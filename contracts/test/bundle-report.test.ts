/** The report on a bundle, line by line, and the words for each end. */
import t from 'tap';
import { entriesText, newestContent, numbersText, printedBundle } from '../src/proof/bundle-report.ts';
import { isBundle } from '../src/proof/bundle.ts';
import { checkBundle } from '../src/proof/check-bundle.ts';
import { isCheckedBundle } from '../src/proof/check-document.ts';
import { concludeCheck, conflictText, printedChecks } from '../src/proof/conclusion.ts';
import { CHECK_EXIT_CODES, endWords, shownTime, type CheckEnd } from '../src/proof/report.ts';
import { utf8 } from '../src/bytes/bytes.ts';
import { bundleNamed, knowing, two } from './bundle-support.ts';
import { headers, NAMES, trust } from './proof-support.ts';

const waiting = bundleNamed('the last entries wait');
const REPORT = [
  'FILE ffffffff-ffff-7fff-bfff-ffffffffffff, entries 0 to 10 (GENESIS 1, BASELINE 2, LINK 1, BREAK 5, DISMISSED 1, RESET 1)',
  '  in 2 batches and 1 block',
  '  holds    RANGE: Every entry between the two numbers is there, and each follows the one before.',
  '  holds    LOG: The proof is of the trusted log.',
  '  holds    LINK: The link hash follows from the fields of the entry, its number, its subject and the entry before.',
  '  holds    LEAF: The entry is a leaf of the batch. (entries 0 to 6)',
  '  holds    CHECKPOINT: The operator of the log signed the checkpoint. (entries 0 to 6)',
  '  holds    BATCH: The batch is the last of the log whose root the operator signed. (entries 0 to 6)',
  '  holds    ANCHOR: The transaction names the batch header and the log root. (entries 0 to 6)',
  '  holds    KEPT_CHECKPOINT: One log: the checkpoint that the checker kept is of a log that has this batch. (entries 0 to 6)',
  '  holds    COINBASE: The path has the depth of the block: its coinbase is shown at the same depth. (entries 0 to 6)',
  '  holds    BLOCK: The transaction is in the block, by headers that were given apart from the proof. (entries 0 to 6)',
  '  holds    TIME: The entry existed by the time of the block (give or take two hours). (entries 0 to 6)',
  '  warning  NEWEST_NOT_SHOWN: That no entry follows the last one is not shown.',
  '  warning  INCOMPLETE: The proof is not complete yet: no block is shown. (entries 7 to 10)',
  '  claimed  ACCEPTED_AT: When the entry was accepted is a claim of the operator; the block only says: no later than its time.',
  '  claimed  ORIGIN: Origin as claimed by the operator: no signature of the agent is shown.',
  '  claimed  OWNER: To which device and organization the file belongs is a claim.',
  '  claimed  SINGLE_LOG: That no other transaction names another batch of this number is for the chain of transactions to show. (entries 0 to 6)',
  '  claimed  CONFIRMATIONS: The number of confirmations in the proof is as the server saw it. (entries 0 to 6)',
  '  claimed  REPORTED_AT: When the agent reported is a claim. (entries 1 to 7)',
  '  the given headers end at 2026-11-21T11:30:00.000Z and took about 2^4 hashes to make',
  '  the difficulty of 9 of them could not be calculated: too few headers before them',
  'INCOMPLETE: what is there holds, and not every entry is shown in a block yet; ask for the bundle again later',
];

t.test('a bundle is reported with its range, what holds of which entries, and its end', async (t) => {
  const verdict = await checkBundle(waiting, trust, knowing);
  const checked = { verdict, file: undefined, headers };
  t.strictSame(printedBundle(checked, NAMES), `${REPORT.join('\n')}\n`);
  t.equal(printedChecks([checked], concludeCheck([checked]), NAMES), `${REPORT.join('\n')}\n`);
  t.ok(isCheckedBundle(checked));
  const file = { isSame: false, isCompared: true, text: 'content has only 0 of 8 bytes.' };
  const lines = printedBundle({ verdict, file, headers: undefined }, NAMES).split('\n');
  t.strictSame(lines.slice(-3), [
    '  FAILS    FILE: content has only 0 of 8 bytes.',
    'FAILS: the file is another',
    '',
  ]);
  t.equal(lines.length, REPORT.length, 'a line for the file in place of two for the headers');
});

t.test('a document that cannot be read has no range', async (t) => {
  const verdict = await checkBundle('{', trust, knowing);
  t.equal(
    printedBundle({ verdict, file: undefined, headers: undefined }, NAMES),
    '  FAILS    NOT_JSON: The document is not JSON in UTF-8.\nFAILS: the bundle does not hold\n',
  );
  t.equal(newestContent(verdict), undefined);
  t.strictSame([verdict.bundle, verdict.entries, verdict.proofs], [undefined, [], []]);
});

t.test('the newest entry that says a content is compared with a file', async (t) => {
  const newest = async (last: number): Promise<string | undefined> => {
    const until = { ...waiting, entries: waiting.entries.slice(0, last + 1), to: last };
    const found = newestContent(await checkBundle(until, trust, knowing));
    return found && `${found.number} ${found.kind}`;
  };
  const all = await Promise.all(waiting.entries.map((_, last) => newest(last)));
  t.strictSame(
    all,
    waiting.entries.map((_, last) =>
      waiting.entries
        .slice(0, last + 1)
        .filter(({ kind }) => !['GENESIS', 'DISMISSED'].includes(kind))
        .map(({ kind, number }) => `${number} ${kind}`)
        .at(-1),
    ),
  );
});

t.test('numbers are said in runs', async (t) => {
  const entries = ['entry', 'entries'] as const;
  t.equal(numbersText([3], entries), ' (entry 3)');
  t.equal(numbersText([3, 4], entries), ' (entries 3 to 4)');
  t.equal(numbersText([0, 2, 3, 4, 9], ['batch', 'batches']), ' (batches 0, 2 to 4, 9)');
  t.equal(entriesText([], 7), '');
  t.equal(entriesText([0, 1], 2), '', 'all of them');
  t.equal(entriesText([0], 2), ' (entry 0)');
  t.match(conflictText({ code: 'ENTRY_CONFLICT', numbers: [5] }), / different link hashes\. \(entry 5\)$/);
  t.match(conflictText({ code: 'PLACE_CONFLICT', numbers: [5, 7] }), / \(entries 5, 7\)$/);
  t.match(conflictText({ code: 'BATCH_CONFLICT', numbers: [5] }), / \(batch 5\)$/);
  t.match(conflictText({ code: 'LOG_CONFLICT', numbers: [5, 6] }), / \(batches 5 to 6\)$/);
  t.equal(shownTime(1_795_260_600), '2026-11-21T11:30:00.000Z');
});

t.test('one block is one block', async (t) => {
  const printed = async (bundle: object) =>
    printedBundle({ verdict: await checkBundle(bundle, trust, knowing), file: undefined, headers }, NAMES);
  t.match(await printed(two), /^ {2}in 2 batches and 1 block$/m);
  t.match(await printed({ ...two, batches: two.batches.slice(0, 1) }), /^ {2}in 1 batch and 1 block$/m);
  t.match(await printed({ ...two, batches: [], blocks: [] }), /^ {2}in 0 batches and 0 blocks$/m);
});

t.test('a document is a bundle by what it claims to be', async (t) => {
  t.ok(isBundle(utf8(JSON.stringify(two))));
  t.ok(isBundle(utf8('{"batches":"' + 'x'.repeat(20_000) + '","format" : "sentinel\\/bundle\\/v1"')));
  t.notOk(isBundle(utf8(JSON.stringify({ ...two, format: 'sentinel/proof/v1' }))));
  t.notOk(isBundle(utf8('"sentinel/bundle/v1"')));
  t.notOk(isBundle(utf8('{"format":"\\x"')), 'a text that is not JSON');
});

t.test('each end has its words, of an entry and of every entry', async (t) => {
  const words: Readonly<Record<CheckEnd, readonly [string, string, string]>> = {
    HOLDS: [
      'HOLDS',
      'the entry is in a block, by the headers that were given, and one log is shown',
      'every entry is in a block, by the headers that were given, and one log is shown',
    ],
    FAILS: ['FAILS', 'the proof does not hold', 'the bundle does not hold'],
    NOT_PUBLIC: [
      'NOT PUBLIC',
      'all holds, but this is no public ledger that is known: whoever makes its blocks can forge it',
      'all holds, but this is no public ledger that is known: whoever makes its blocks can forge it',
    ],
    INCOMPLETE: [
      'INCOMPLETE',
      'what is there holds, and no block is shown yet; ask for the proof again later',
      'what is there holds, and not every entry is shown in a block yet; ask for the bundle again later',
    ],
    SELF_SUPPLIED: [
      'NO BLOCK KNOWN',
      'all but the block holds; give HEADERS',
      'all but the block holds; give HEADERS',
    ],
    ONE_LOG_NOT_SHOWN: [
      'HOLDS, ONE LOG NOT SHOWN',
      'the entry is in a block, but another log of the same key may say otherwise; give SEALS, CHECKPOINT or POLICY',
      'every entry is in a block, but another log of the same key may say otherwise; give SEALS, CHECKPOINT or POLICY',
    ],
    CONFLICT: [
      'CONFLICT',
      'both proofs carry the signature of the log and cannot both be true; keep them',
      'both documents carry the signature of the log and cannot both be true; keep them',
    ],
  };
  t.strictSame(Object.keys(words).sort(), Object.keys(CHECK_EXIT_CODES).sort());
  for (const [end, [title, one, every]] of Object.entries(words) as [CheckEnd, [string, string, string]][]) {
    t.strictSame(endWords(end, NAMES), { title, text: one }, end);
    t.strictSame(endWords(end, NAMES, 'every entry'), { title, text: every }, end);
  }
});
