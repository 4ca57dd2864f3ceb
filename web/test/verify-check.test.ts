/** The check of the browser without a browser: the same verdicts as the command's, and every input that cannot be used. */
import { createPrivateKey, createPublicKey, sign, verify } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import t from 'tap';
import { SignedLog } from '@sentinel-node/test-kit/fakes';
import { matchList } from '@sentinel-node/test-kit/matching';
import { CHECK_EXIT_CODES, VerifyInputError, type CheckEnd } from '@sentinel-node/contracts';
import { verifySpend } from '@sentinel-node/contracts/ledger-spend';
import { verifyEd25519 } from '../src/verify/ed25519.ts';
import {
  FILE_KINDS,
  usageProblem,
  NO_INPUTS,
  withFiles,
  withoutFile,
  type CheckInputs,
  type FileKind,
} from '../src/verify/inputs.ts';
import { yieldToPage, paceOf } from '../src/verify/pace.ts';
import { readChunks } from '../src/verify/read-file.ts';
import { recogniseFile } from '../src/verify/recognise.ts';
import type { Progress } from '../src/verify/read-inputs.ts';
import { runCheck, type CheckReport } from '../src/verify/run-check.ts';
import { NEXT_STEPS, toneOf } from '../src/verify/verdict-words.ts';
import {
  bundleNamed,
  EVIDENCE,
  fileOf,
  KNOWN_BLOCK,
  LEADING,
  proofNamed,
  RECORDED_NETWORK,
  sealedProof,
  sentinel,
  tampered,
  type EvidenceFile,
} from './evidence.ts';

type Given = Partial<Record<FileKind, EvidenceFile | EvidenceFile[]>> & {
  knownBlock?: string;
  /** Unless it is given: that of the recorded blocks, of which no rules are known; with a receipt none. */
  network?: string;
};

const asFile = ({ name, buffer }: EvidenceFile): File => new File([new Uint8Array(buffer)], name);

const networkOf = ({ network, receipt }: Given): string =>
  network ?? (receipt === undefined ? RECORDED_NETWORK : '');

function inputsOf({ knownBlock = '', ...given }: Given): CheckInputs {
  let inputs: CheckInputs = { ...NO_INPUTS, knownBlock, network: networkOf(given) };
  for (const kind of FILE_KINDS) inputs = withFiles(inputs, kind, [given[kind] ?? []].flat().map(asFile));
  return inputs;
}

interface Watched {
  readonly progress?: Progress[];
  readonly signal?: AbortSignal;
  /** Of `performance.now`, at each call. */
  readonly now?: () => number;
}

const check = (given: Given, { progress = [], signal, now = () => 0 }: Watched = {}): Promise<CheckReport> =>
  runCheck(inputsOf(given), {
    pace: paceOf(signal ?? new AbortController().signal, yieldToPage, now),
    spendCheck: () => Promise.resolve(verifySpend),
    onProgress: (one) => progress.push(one),
  });

const { bundle, proof, receipt, trust, headers, checkpoint, seals, sealedTrust, sealedHeaders } = EVIDENCE;
const known = { trust, headers, knownBlock: KNOWN_BLOCK };
const sealed = {
  proofs: EVIDENCE.sealedProof,
  trust: sealedTrust,
  headers: sealedHeaders,
  knownBlock: KNOWN_BLOCK,
};

/** A bundle as a program stores it that sorts members and escapes slashes, with `format` after 16 KiB. */
const sortedBundle = fileOf(
  'sorted.json',
  JSON.stringify(
    Object.fromEntries(
      Object.entries(bundleNamed('of two batches in one block')).sort(([a], [b]) => (a < b ? -1 : 1)),
    ),
    null,
    20,
  ).replaceAll('/', '\\/'),
);
const waiting = fileOf('waiting.json', bundleNamed('the last entries wait'));
function withoutEntry(at: number): EvidenceFile {
  const { entries, ...others } = bundleNamed('of two batches in one block');
  return fileOf('gap.json', { ...others, entries: entries.toSpliced(at, 1) });
}

const log = new SignedLog();
const cases: readonly [string, CheckEnd, Given][] = [
  ['seals show one log', 'HOLDS', { ...sealed, seals }],
  ['a kept checkpoint shows one log', 'HOLDS', { proofs: proof, ...known, checkpoint }],
  ['one log is not shown', 'ONE_LOG_NOT_SHOWN', { proofs: proof, ...known }],
  [
    'seals end too early',
    'ONE_LOG_NOT_SHOWN',
    { ...sealed, seals: fileOf('short', seals.buffer.toString().split('\n').slice(0, 3).join('\n')) },
  ],
  ['no headers', 'SELF_SUPPLIED', { proofs: proof, trust }],
  ['no block yet', 'INCOMPLETE', { proofs: fileOf('sent.json', proofNamed('sent')), ...known }],
  [
    'changed by a byte',
    'FAILS',
    { proofs: fileOf('bad.json', tampered(sealedProof)), ...sealedOthers(), seals },
  ],
  ['no proof at all', 'FAILS', { proofs: fileOf('noise', Buffer.from([0, 255, 1, 254])), ...known }],
  ['larger than a proof', 'FAILS', { proofs: fileOf('large', ' '.repeat(600_000)), ...known }],
  ['empty', 'FAILS', { proofs: fileOf('empty', ''), ...known }],
  [
    'another watched file',
    'FAILS',
    { proofs: proof, ...known, checkpoint, watched: fileOf('other.log', 'x') },
  ],
  ['two that go together', 'HOLDS', { proofs: [proof, proof], ...known, checkpoint }],
  [
    'two that the log signed and that contradict each other',
    'CONFLICT',
    {
      proofs: [sealedProof.entry, { ...sealedProof.entry, length: 1 }].map((entry, n) =>
        fileOf(`signed-${n}.json`, log.cut(sealedProof.subject.id, entry)),
      ),
      trust: fileOf('log-trust.json', { ...log.trust, network: RECORDED_NETWORK }),
    },
  ],
  ['two transactions of one batch', 'SELF_SUPPLIED', { proofs: [proof, EVIDENCE.sealedProof], trust }],
  [
    'a transaction without a block that another one replaced',
    'INCOMPLETE',
    { proofs: [proof, fileOf('b.json', { ...sealedProof, state: 'SENT', block: null })], trust },
  ],
  [
    'a network that only the trust file names',
    'NOT_PUBLIC',
    { proofs: proof, ...known, checkpoint, network: '' },
  ],
  ['a bundle of two batches', 'HOLDS', { proofs: bundle, ...known, checkpoint, consistency: LEADING }],
  [
    'a bundle without what leads to the kept checkpoint',
    'ONE_LOG_NOT_SHOWN',
    { proofs: bundle, ...known, checkpoint },
  ],
  [
    'a bundle that was stored by another program',
    'HOLDS',
    { proofs: sortedBundle, ...known, checkpoint, consistency: LEADING },
  ],
  ['a bundle and one whose last entries wait', 'INCOMPLETE', { proofs: [bundle, waiting], trust }],
  ['a bundle with an entry left out, and a proof', 'FAILS', { proofs: [withoutEntry(3), proof], ...known }],
  ['a bundle without headers', 'SELF_SUPPLIED', { proofs: bundle, trust }],
  [
    'a bundle whose last entries wait',
    'INCOMPLETE',
    { proofs: waiting, ...known, checkpoint, consistency: LEADING },
  ],
  ['a bundle with an entry left out', 'FAILS', { proofs: withoutEntry(3), ...known }],
  ['a bundle with another watched file', 'FAILS', { proofs: waiting, trust, watched: fileOf('log', 'x') }],
  [
    'larger than a bundle',
    'FAILS',
    { proofs: fileOf('l', `{"format":"sentinel/bundle/v1"${' '.repeat(9_000_000)}`), trust },
  ],
];

function sealedOthers(): Given {
  const { proofs: _, ...others } = sealed;
  return others;
}

const OPTIONS: Partial<Record<FileKind, string>> = {
  trust: '--trust',
  headers: '--headers',
  seals: '--seals',
  checkpoint: '--checkpoint',
  watched: '--file',
  consistency: '--consistency',
};

/** Writes the files, and has the command check them. */
async function byCommand(folder: string, { knownBlock, ...given }: Given) {
  const args: string[] = knownBlock === undefined ? [] : ['--after', knownBlock];
  if (networkOf(given) !== '') args.push('--network', networkOf(given));
  for (const kind of FILE_KINDS)
    for (const [at, { name, buffer }] of [given[kind] ?? []].flat().entries()) {
      const own = kind === 'proofs' ? `${at}-${name}` : name;
      await writeFile(join(folder, own), buffer);
      const option = OPTIONS[kind];
      args.push(...(option === undefined ? [own] : [option, own]));
    }
  return sentinel(folder, 'verify', ...args);
}

/** The hint at the end names options there and fields here. */
const withoutHints = (printed: string): string => printed.replaceAll(/; give .*$/gm, '');

t.setTimeout(300_000);
for (const [title, end, given] of cases)
  t.test(`${title}: ${end}, as the command says it`, async (t) => {
    const report = await check(given);
    t.equal(report.exitCode, CHECK_EXIT_CODES[end]);
    const command = await byCommand(t.testdir(), given);
    t.equal(report.exitCode, command.code, command.stderr);
    t.equal(withoutHints(report.printed), withoutHints(command.stdout));
    t.equal(toneOf(end) === 'success', command.code === 0, 'green with exit code 0 alone');
  });

const promised = proofNamed('whole');
/** More than 26 h ago, milliseconds since 1970. */
const OLD = Date.UTC(2020, 0);
const NEW = Date.now() - 3_600_000;
const later = { ...promised.entry, acceptedAt: promised.entry.acceptedAt + 60_001 };
const receiptCases: readonly [title: string, code: number, words: RegExp, given: Given][] = [
  ['by itself', 0, /^HOLDS\n/, { receipt, trust }],
  ['with the proof of its entry', 0, /^HOLDS\n/, { receipt, trust, proofs: proof }],
  [
    'with the proof of another report',
    1,
    /^FAILS: the proof is of another report/,
    { receipt, trust, proofs: fileOf('other.json', proofNamed('batch 0')) },
  ],
  [
    'with a changed proof',
    1,
    /^FAILS: the proof does not hold/,
    { receipt, trust, proofs: fileOf('later.json', { ...promised, entry: later }) },
  ],
  [
    'with a proof of a later time that the log signed',
    3,
    /^BROKEN PROMISE: the server says a later time/,
    {
      receipt: fileOf(
        'own.json',
        log.receipt(promised.subject.id, promised.entry.reportHash!, promised.entry.acceptedAt),
      ),
      trust: fileOf('log-trust.json', log.trust),
      proofs: fileOf('moved.json', log.cut(promised.subject.id, later)),
    },
  ],
  [
    'with a proof whose batch was taken out, long after',
    1,
    /^NOT SHOWN: the proof has no batch, and nobody signed it/,
    {
      receipt: fileOf('old.json', log.receipt(promised.subject.id, promised.entry.reportHash!, OLD)),
      trust: fileOf('log-trust.json', log.trust),
      proofs: fileOf('bare.json', log.pending(promised.subject.id, { ...promised.entry, acceptedAt: OLD })),
    },
  ],
  [
    'with a proof whose batch was taken out, soon after',
    1,
    /^NOT SHOWN: the proof has no batch, and nobody signed it: .*\. It may wait for its batch until \S+Z\n/,
    {
      receipt: fileOf('new.json', log.receipt(promised.subject.id, promised.entry.reportHash!, NEW)),
      trust: fileOf('log-trust.json', log.trust),
      proofs: fileOf('bare.json', log.pending(promised.subject.id, { ...promised.entry, acceptedAt: NEW })),
    },
  ],
  [
    'of another log',
    1,
    /^FAILS: the key of the trust file/,
    { receipt: fileOf('r.json', changedReceipt()), trust },
  ],
  [
    'of another report',
    1,
    /^FAILS: it is of another report/,
    { receipt, trust, report: fileOf('report', '{}') },
  ],
];

function changedReceipt(): object {
  const kept = JSON.parse(receipt.buffer.toString()) as { receipt: { acceptedAt: number } };
  return { ...kept, receipt: { ...kept.receipt, acceptedAt: kept.receipt.acceptedAt + 1 } };
}

for (const [title, code, words, given] of receiptCases)
  t.test(`a receipt ${title}, as the command says it`, async (t) => {
    const report = await check(given);
    t.equal(report.exitCode, code);
    t.match(report.printed, words);
    const command = await byReceiptCommand(t.testdir(), given);
    t.equal(report.exitCode, command.code, command.stderr);
    t.equal(report.printed, command.stdout);
  });

const RECEIPT_OPTIONS = [
  ['trust', '--trust'],
  ['proofs', '--proof'],
  ['report', '--report'],
] as const;

async function byReceiptCommand(folder: string, given: Given) {
  const args: string[] = [];
  for (const [kind, option] of [['receipt', ''], ...RECEIPT_OPTIONS] as const)
    for (const { name, buffer } of [given[kind] ?? []].flat()) {
      await writeFile(join(folder, name), buffer);
      args.push(...(option === '' ? [name] : [option, name]));
    }
  return sentinel(folder, 'receipt', ...args);
}

t.test('the console begins without the checker', async (t) => {
  const dist = new URL('../../dist/', import.meta.url);
  const html = await readFile(new URL('index.html', dist), 'utf8');
  const scripts = [...html.matchAll(/(?:src|href)="\/(assets\/[^"]+\.js)"/g)].map(([, name]) => name ?? '');
  t.ok(scripts.length > 0, scripts.join(' '));
  for (const name of scripts)
    t.notMatch(await readFile(new URL(name, dist), 'utf8'), /LINK_HASH_DIFFERS|sentinel\/seals\/v1/, name);
  t.match(
    await readFile(new URL('verify.html', dist), 'utf8'),
    /LINK_HASH_DIFFERS[^]*sentinel\/seals\/v1|sentinel\/seals\/v1[^]*LINK_HASH_DIFFERS/,
  );
});

t.test('green is for one end alone', (t) => {
  const ends = Object.keys(CHECK_EXIT_CODES) as CheckEnd[];
  t.same(
    ends.filter((end) => toneOf(end) === 'success'),
    ['HOLDS'],
  );
  for (const end of ends) t.match(NEXT_STEPS[end], /\.$/, end);
  t.end();
});

t.test('the watched file is hashed here, in pieces', async (t) => {
  const progress: Progress[] = [];
  const watched = fileOf('watched.log', Buffer.alloc(2_500_000));
  const { checked } = await check({ proofs: proof, ...known, watched }, { progress });
  const file = { isSame: false, text: /^watched\.log has only 2500000 of \d+ bytes\.$/ };
  matchList(t, checked, [{ file }]);
  const steps = progress.filter(({ what }) => what === 'Hashing the watched file');
  t.same(
    steps.map(({ done, total }) => [done, total]),
    [1_048_576, 2_097_152, 2_500_000].map((done) => [done, 2_500_000]),
  );
});

const refusals: readonly [RegExp, Given][] = [
  [/^noise is no trust file: .* \(NOT_JSON\)$/, { trust: fileOf('noise', Buffer.from([0xff, 0])) }],
  [/^big is no trust file: .*\(TOO_LARGE: 64 KiB at most\)$/, { trust: fileOf('big', ' '.repeat(70_000)) }],
  [/^the headers in h are not headers of 80 bytes each \(NOT_HEADERS\)$/, { headers: fileOf('h', 'abc') }],
  [/^the headers in h .*\(NOT_LINKED at height/, { headers: fileOf('h', Buffer.alloc(160)) }],
  [/^no block of the network recorded is known: the headers need a known block$/, { knownBlock: '' }],
  [/^a known block takes HEIGHT:HASH/, { knownBlock: '7' }],
  [/^c is not text in UTF-8$/, { checkpoint: fileOf('c', Buffer.from([0xff, 0xfe])) }],
  [/^c is too large: 64 KiB at most$/, { checkpoint: fileOf('c', 'x'.repeat(65_537)) }],
  [/^p:1 /, { policy: fileOf('p', 'nonsense\n') }],
  [/^p is too large: 64 KiB at most$/, { policy: fileOf('p', '#'.repeat(70_000)) }],
  [/^q is no consistency proof \(NOT_JSON\)$/, { checkpoint, consistency: fileOf('q', '{') }],
  [/^big is no receipt: .*\(TOO_LARGE: 16 KiB at most\)$/, { receipt: fileOf('big', ' '.repeat(20_000)) }],
  [/^noise is no receipt: .*\(NOT_JSON\)$/, { receipt: fileOf('noise', Buffer.from([0xff])) }],
  [/^the trust file is of the network recorded, not of main$/, { network: 'main' }],
  [/^noise is no proof$/, { receipt, proofs: fileOf('noise', '{}') }],
  [/^s holds no seals$/, { seals: fileOf('s', '') }],
  [/^the seals in s fail at the first line: NOT_JSON: /, { seals: fileOf('s', Buffer.alloc(9, 0xee)) }],
  [/^the seals in s fail at the first line: TOO_LARGE: /, { seals: fileOf('s', 'x'.repeat(2_000_000)) }],
];
for (const [said, given] of refusals)
  t.test(`not checked: ${said.source}`, async (t) => {
    const error = await check({ proofs: proof, ...known, ...given }).catch((thrown: unknown) => thrown);
    t.ok(error instanceof VerifyInputError, String(error));
    t.match(String(error).replace('Error: ', ''), said);
  });

t.test('a file that cannot be read any more is told', async (t) => {
  const gone = new File(['{}'], 'gone.json');
  gone.slice = () => ({ arrayBuffer: () => Promise.reject(new Error('NotReadableError')) }) as Blob;
  const inputs = withFiles(inputsOf({ trust }), 'proofs', [gone]);
  const tools = {
    pace: paceOf(new AbortController().signal, yieldToPage, () => 0),
    spendCheck: () => Promise.resolve(verifySpend),
    onProgress: () => undefined,
  };
  await t.rejects(runCheck(inputs, tools), {
    message: /^gone\.json cannot be read: it was changed or removed/,
  });
});

t.test('a check that is stopped has no verdict', async (t) => {
  const controller = new AbortController();
  let turns = 0;
  const now = (): number => {
    turns += 1;
    if (turns === 4) controller.abort(new Error('stopped'));
    return 1_000 * turns;
  };
  await t.rejects(check({ ...sealed, seals }, { signal: controller.signal, now }), { message: 'stopped' });
});

t.test('a page has its turn before each entry of a bundle', async (t) => {
  const progress: Progress[] = [];
  await check({ proofs: bundle, trust }, { progress });
  const { entries } = bundleNamed('of two batches in one block');
  t.same(
    progress,
    entries.map((_, done) => ({
      what: 'Checking the entries',
      unit: 'entries',
      done,
      total: entries.length,
    })),
  );
});

t.test('a long check gives the page its turns', async (t) => {
  let clock = 0;
  let pauses = 0;
  const pause = (): Promise<void> => {
    pauses += 1;
    return Promise.resolve();
  };
  const pace = paceOf(new AbortController().signal, pause, () => clock);
  await pace.step();
  t.equal(pauses, 0, 'not while the slice lasts');
  clock = 1_000;
  await pace.step();
  await pace.step();
  t.equal(pauses, 1, 'and once when it is used up');
});

t.test('what does not go together is told before anything is read', (t) => {
  const wrong: readonly [RegExp, Given][] = [
    [/Choose the proof/, {}],
    [/Choose the trust file/, { proofs: proof }],
    [/8 proofs at most/, { proofs: Array.from({ length: 9 }, () => proof), trust }],
    [/goes with block headers/, { proofs: proof, trust, knownBlock: KNOWN_BLOCK }],
    [/goes with a kept checkpoint/, { proofs: proof, trust, consistency: proof }],
    [
      /^Kept checkpoint: 2 files were chosen, and a check looks at one/,
      { proofs: proof, trust, checkpoint: [checkpoint, checkpoint] },
    ],
    [/^Trust file: 2 files were chosen/, { receipt, trust: [trust, trust] }],
    [/goes with one proof/, { proofs: [proof, proof], trust, watched: proof }],
    [/goes with a receipt/, { proofs: proof, trust, report: proof }],
    [/Choose the trust file/, { receipt }],
    [/A receipt goes with one proof/, { receipt, trust, proofs: [proof, proof] }],
    ...(['headers', 'seals', 'checkpoint', 'consistency', 'policy', 'watched'] as const).map(
      (kind): [RegExp, Given] => [/Remove the other files/, { receipt, trust, [kind]: proof }],
    ),
    [/Remove the other files/, { receipt, trust, knownBlock: KNOWN_BLOCK }],
    [/Remove the other files/, { receipt, trust, network: 'main' }],
  ];
  for (const [said, given] of wrong) t.match(usageProblem(inputsOf(given)), said);
  t.match(
    usageProblem({ ...inputsOf({ proofs: proof, trust }), intervalSeconds: '1h' }),
    /interval takes seconds/,
  );
  t.equal(usageProblem(inputsOf({ proofs: proof, trust })), undefined);
  t.equal(usageProblem(inputsOf({ receipt, trust, proofs: proof, report: proof })), undefined);
  t.end();
});

t.test('another file takes the place of the one before, a further proof stands beside', (t) => {
  const [a, b] = [asFile(proof), asFile(trust)];
  t.same(withFiles(withFiles(NO_INPUTS, 'proofs', [a]), 'proofs', [b]).files.proofs, [a, b]);
  t.same(withFiles(withFiles(NO_INPUTS, 'trust', [a]), 'trust', [b]).files.trust, [b]);
  t.same(withFiles(NO_INPUTS, 'trust', [a, b]).files.trust, [a, b], 'of two at once none is passed over');
  t.same(withoutFile(withFiles(NO_INPUTS, 'proofs', [a, b]), 'proofs', a).files.proofs, [b]);
  t.end();
});

t.test('a dropped file is put where it belongs', async (t) => {
  const kinds: readonly [FileKind | undefined, EvidenceFile][] = [
    ['proofs', proof],
    ['proofs', fileOf('spaced.json', JSON.stringify(proofNamed('cut'), null, 2))],
    ['proofs', bundle],
    ['proofs', sortedBundle],
    ['receipt', receipt],
    ['trust', trust],
    ['headers', headers],
    ['headers', fileOf('one', headers.buffer.subarray(0, 80))],
    ['seals', seals],
    ['checkpoint', checkpoint],
    ['consistency', fileOf('c.json', { format: 'sentinel/consistency/v1', from: 1, to: 2, path: [] })],
    ['policy', fileOf('policy', '# mine\nwitness w1 w.example+00000000+AA==\nquorum w1\n')],
    [undefined, fileOf('app.log', 'log of an application\nan error\n')],
    [undefined, fileOf('zeros', Buffer.alloc(160))],
    [undefined, fileOf('text of 80 bytes', 'x'.repeat(80))],
    [undefined, fileOf('empty', '')],
    [undefined, fileOf('other.json', { format: 'constructor' })],
    [undefined, fileOf('more.json', { a: 1 })],
  ];
  for (const [kind, file] of kinds) t.equal(await recogniseFile(asFile(file)), kind, file.name);
});

t.test('a large file comes in pieces, whole and in order', async (t) => {
  const content = Buffer.alloc(2_500_000, 'abcdefg');
  const parts: Uint8Array[] = [];
  for await (const piece of readChunks(new File([content], 'large'))) parts.push(piece);
  t.equal(parts.length, 3);
  t.ok(Buffer.concat(parts).equals(content));
});

t.test('signatures are judged as node judges them', async (t) => {
  // RFC 8032 section 7.1, test 2.
  const pkcs8 = `302e020100300506032b657004220420${'4ccd089b28ff96da9db6c346ec114e0f5b8a319f35aba624da8cf6ed4fb8a6fb'}`;
  const privateKey = createPrivateKey({ key: Buffer.from(pkcs8, 'hex'), format: 'der', type: 'pkcs8' });
  const key = createPublicKey(privateKey);
  const raw = new Uint8Array(Buffer.from(key.export({ format: 'jwk' }).x ?? '', 'base64url'));
  const message = Buffer.from('72', 'hex');
  const signature = sign(null, message, privateKey);
  t.ok(await verifyEd25519(message, signature, raw));
  for (let at = 0; at < signature.length; at += 1) {
    const changed = Uint8Array.from(signature);
    changed[at] = (changed[at] ?? 0) ^ 0x40;
    t.equal(await verifyEd25519(message, changed, raw), verify(null, message, key, changed), `byte ${at}`);
  }
  t.notOk(await verifyEd25519(Buffer.from('73', 'hex'), signature, raw));
  t.notOk(await verifyEd25519(message, signature, new Uint8Array(32).fill(0xff)), 'no key');
  t.notOk(await verifyEd25519(message, signature.subarray(1), raw), 'no signature');
});
