/** Tests `sentinel verify` on the recorded proofs, as a third party runs it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { SignedLog } from '@sentinel-node/test-kit/fakes';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import type { Proof } from '@sentinel-node/contracts';
import { FILE_MS } from './agent-process.ts';
import { recorded, SENTINEL, type RecordedLog } from './recorded.ts';

interface Vectors extends RecordedLog {
  readonly proofs: readonly { readonly name: string; readonly proof: Proof }[];
}
const { trust, checkpoint, headers, proofs } = await recorded<Vectors>('proof.json');
const log = await recorded<Log>('log.json');
const sealed = await recorded<Sealed>('seals.json');
const unsigned = await recorded<RecordedLog & { readonly proof: Proof }>('unsigned.json');
interface Log {
  readonly checkpoints: readonly { readonly note: string }[];
  readonly consistency: readonly { readonly from: number; readonly to: number; readonly path: string[] }[];
}
interface Sealed extends RecordedLog {
  readonly proof: Proof;
  readonly lines: readonly string[];
}
const AFTER = `${checkpoint.height}:${checkpoint.hash}:${checkpoint.bits.toString(16).padStart(8, '0')}`;
const proofNamed = (name: string): Proof => proofs.find((one) => one.name === name)!.proof;
const whole = proofNamed('whole');

t.setTimeout(FILE_MS);
const folder = t.testdir({ 'trust.json': JSON.stringify(trust) });
const TRUST = join(folder, 'trust.json');
const HEADERS = join(folder, 'headers');
await writeFile(HEADERS, Buffer.from(headers, 'hex'));
const CHECKPOINT = join(folder, 'checkpoint');
await writeFile(CHECKPOINT, log.checkpoints.at(-1)!.note);
/** Options that name the recorded blocks' network, which has no known rules. */
const TRUSTED = ['--trust', TRUST, '--network', trust.network];
const KNOWN = [...TRUSTED, '--headers', HEADERS, '--after', AFTER];

async function sentinel(...args: string[]) {
  const child = spawn(process.execPath, [SENTINEL, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

async function run(command: string) {
  await writeFile(join(folder, 'whole.json'), JSON.stringify(whole));
  const child = spawn('bash', ['-c', command], { cwd: folder, stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

let files = 0;
async function verify(proof: unknown, ...args: string[]) {
  const path = join(folder, `proof-${files++}.json`);
  await writeFile(path, typeof proof === 'string' ? proof : JSON.stringify(proof));
  return sentinel('verify', path, ...args);
}

t.test(
  'a proof holds by the trust file, headers from elsewhere and a kept checkpoint',
  { timeout: FILE_MS },
  async (t) => {
    const { code, stdout, stderr } = await verify(whole, ...KNOWN, '--checkpoint', CHECKPOINT);
    t.equal(code, 0, stderr);
    for (const holding of [
      'LOG',
      'LINK',
      'LEAF',
      'BATCH',
      'CHECKPOINT',
      'ANCHOR',
      'BLOCK',
      'TIME',
      'KEPT_CHECKPOINT',
    ])
      t.match(stdout, new RegExp(`^ {2}holds {4}${holding}: `, 'm'));
    t.match(stdout, whole.entry.contentHash);
    t.match(stdout.trimEnd().split('\n').at(-1), /^HOLDS: /);
    t.match(
      stdout,
      /block 600002, 7 confirmations; the given headers end at 2026-11-21T11:30:00.000Z and took/,
    );
    const { code: sameCode, stdout: json } = await verify(
      whole,
      ...KNOWN,
      '--checkpoint',
      CHECKPOINT,
      '--json',
    );
    t.equal(sameCode, 0);
    matchWhole(t, JSON.parse(json), { outcome: 'HOLDS', fails: [], block: { height: whole.block?.height } });
    const other = ['--checkpoint', CHECKPOINT, '--file', HEADERS, '--json'];
    const otherFile = await verify(whole, ...KNOWN, ...other);
    t.equal(otherFile.code, 1);
    matchWhole(t, JSON.parse(otherFile.stdout), { outcome: 'FAILS', fails: [], file: { isSame: false } });
  },
);

t.test('seven easy headers of one’s own never end with 0', { timeout: FILE_MS }, async (t) => {
  const args = ['--headers', HEADERS, '--after', AFTER, '--checkpoint', CHECKPOINT];
  for (const [network, expected] of [
    ['main', { code: 1, stderr: /\(TOO_EASY at height 600000\)/ }],
    ['test', { code: 1, stderr: /\(TOO_EASY at height 600000\)/ }],
    ['regtest', { code: 3, stdout: /\nNOT PUBLIC: / }],
    ['dev', { code: 3, stdout: /\nNOT PUBLIC: / }],
    ['mainnet', { code: 3, stdout: /warning {2}NETWORK_UNKNOWN: [^]*\nNOT PUBLIC: / }],
  ] as const) {
    const path = join(folder, `trust-${network}.json`);
    await writeFile(path, JSON.stringify({ ...trust, network }));
    const proof = { ...whole, transaction: { ...whole.transaction, network } };
    t.match(await verify(proof, '--trust', path, ...args), expected, network);
  }
});

t.test(
  'a second log by the same key, in blocks of its own, never ends with 0',
  { timeout: FILE_MS },
  async (t) => {
    const [trustFile, seals, own] = ['true-trust', 'true-seals', 'own-headers'].map((n) => join(folder, n));
    await writeFile(trustFile!, JSON.stringify(sealed.trust));
    await writeFile(seals!, sealed.lines.map((line) => `${line}\n`).join(''));
    await writeFile(own!, Buffer.from(unsigned.headers, 'hex'));
    const trusted = ['--trust', trustFile!, '--network', sealed.trust.network];
    const under = (headersFile: string) => [...trusted, '--headers', headersFile, '--after', AFTER];
    // The transaction is unsigned: a block that contains it is not enough.
    t.match(await verify(unsigned.proof, ...under(own!), '--checkpoint', CHECKPOINT), {
      code: 1,
      stdout: /holds {4}BLOCK: [^]*FAILS {4}TRANSACTION_UNSIGNED/,
    });
    // With a made-up signature and a made-up output, only the true log's chain of seals reveals the forgery.
    t.match(await verify(whole, ...under(HEADERS)), { code: 6, stdout: /\nHOLDS, ONE LOG NOT SHOWN: / });
    t.match(await verify(whole, ...under(HEADERS), '--seals', seals!), {
      code: 1,
      stdout: /FAILS {4}SEALS_DIFFER/,
    });
  },
);

t.test('the network that the checker names is that of the trust file', { timeout: FILE_MS }, async (t) => {
  t.match(await verify(whole, '--trust', TRUST, '--network', 'main'), {
    code: 1,
    stderr: 'sentinel verify: the trust file is of the network recorded, not of main\n',
  });
});

t.test('without one log shown nothing ends with 0', { timeout: FILE_MS }, async (t) => {
  t.match(await verify(whole, ...KNOWN), { code: 6, stdout: /\nHOLDS, ONE LOG NOT SHOWN: / });
  const first = join(folder, 'first-checkpoint');
  await writeFile(first, log.checkpoints[0]!.note);
  t.match(await verify(whole, ...KNOWN, '--checkpoint', first), { code: 6, stdout: /CONSISTENCY_NOT_SHOWN/ });
  const path = join(folder, 'consistency.json');
  const between = log.consistency.find(({ from, to }) => from === 1 && to === 4)!;
  await writeFile(path, JSON.stringify({ format: 'sentinel/consistency/v1', ...between }));
  const consistent = [...KNOWN, '--checkpoint', first, '--consistency', path];
  const older = await verify(whole, ...consistent);
  t.match(older, { code: 0, stdout: /KEPT_CHECKPOINT_OLDER/ });
  t.match(
    older.stdout,
    /\nHOLDS: .* continues the checkpoint that was kept, which ends before; no second log is excluded/,
  );
  t.notMatch(older.stdout, /one log is shown|One log:/);
  await writeFile(path, JSON.stringify({ format: 'sentinel/consistency/v1', ...between, more: 1 }));
  t.match(await verify(whole, ...consistent), { code: 1, stderr: /UNKNOWN_FORM at \/more/ });
});

t.test('seals show one log, and each way to be wrong has its code', { timeout: FILE_MS }, async (t) => {
  const [trustFile, headersFile, seals] = ['sealed-trust', 'sealed-headers', 'seals'].map((n) =>
    join(folder, n),
  );
  await writeFile(trustFile!, JSON.stringify(sealed.trust));
  await writeFile(headersFile!, Buffer.from(sealed.headers, 'hex'));
  const trusted = ['--trust', trustFile!, '--network', sealed.trust.network];
  const known = [...trusted, '--headers', headersFile!, '--after', AFTER, '--seals', seals!];
  const [head, one, two, three] = sealed.lines;
  const cases: readonly [number, RegExp, readonly (string | undefined)[]][] = [
    [0, /holds {4}SEALS: /, sealed.lines],
    [6, /SEALS_TOO_SHORT/, [head, one, two]],
    [1, /batch 2: SEAL_GAP/, [head, one, three]],
    [1, /batch 1: SEAL_BRANCH/, [head, one, two, two]],
    [1, /batch 0: TOO_LARGE/, [head, `{"batch":${'1'.repeat(2_000_000)}}`]],
    [1, /holds no seals/, []],
  ];
  for (const [code, said, lines] of cases) {
    await writeFile(seals!, lines.map((line) => `${line}\n`).join(''));
    const { code: ended, stdout, stderr } = await verify(sealed.proof, ...known);
    t.equal(ended, code, String(said));
    t.match(stdout + stderr, said);
  }
});

t.test('two proofs are held against each other', { timeout: FILE_MS }, async (t) => {
  const paths = ['a', 'b'].map((name) => join(folder, `${name}.json`));
  const pair = async (a: Proof, b: Proof) => {
    await writeFile(paths[0]!, JSON.stringify(a));
    await writeFile(paths[1]!, JSON.stringify(b));
    return sentinel('verify', ...paths, ...KNOWN, '--checkpoint', CHECKPOINT);
  };
  t.match(await pair(whole, whole), { code: 0, stdout: /do not contradict each other/ });
  t.match(await pair(whole, proofNamed('sent')), { code: 4 });
  const trusted = join(folder, 'both.json');
  await writeFile(trusted, JSON.stringify({ ...trust, genesisTxid: trust.genesisTxid }));
  await writeFile(paths[0]!, JSON.stringify(whole));
  await writeFile(paths[1]!, JSON.stringify(sealed.proof));
  t.match(await sentinel('verify', ...paths, '--trust', trusted), {
    code: 3,
    stdout: /warning {2}TRANSACTIONS_DIFFER: .*\nThe two proofs are no evidence against the log/,
  });
  // One that is in no block can have been refused, and replaced after `anchors resume`.
  await writeFile(paths[1]!, JSON.stringify({ ...sealed.proof, state: 'SENT', block: null }));
  t.match(await sentinel('verify', ...paths, '--trust', trusted), {
    code: 4,
    stdout: /warning {2}TRANSACTION_REPLACED: .*\nThe two proofs do not contradict each other/,
  });
  const json = await sentinel('verify', ...paths, '--trust', trusted, '--json');
  matchWhole(t, JSON.parse(json.stdout), {
    outcome: 'INCOMPLETE',
    conflicts: [],
    warnings: ['TRANSACTION_REPLACED'],
  });
  await writeFile(paths[1]!, JSON.stringify({ ...whole, entry: { ...whole.entry, length: 1 } }));
  for (const both of [paths, paths.toReversed()]) {
    const args = ['verify', ...both, ...KNOWN, '--checkpoint', CHECKPOINT];
    t.match(await sentinel(...args), {
      code: 1,
      stdout: /\nTogether: FAILS: a proof does not hold by itself[^\n]*\n$/,
    });
    const { stdout } = await sentinel(...args, '--json');
    matchWhole(t, JSON.parse(stdout), { outcome: 'FAILS', conflicts: null, warnings: null });
  }
});

t.test('a conflict takes two proofs that the log signed', { timeout: FILE_MS }, async (t) => {
  const log = new SignedLog();
  const paths = ['log', 'a', 'b'].map((name) => join(folder, `conflict-${name}`)) as [string, string, string];
  await writeFile(paths[0], JSON.stringify(log.trust));
  const entries = [whole.entry, { ...whole.entry, length: 1 }] as const;
  const [one, other] = entries.map((entry) => log.cut(whole.subject.id, entry));
  const unsigned = log.pending(whole.subject.id, entries[1]);
  const bad = { ...one!, state: 'PENDING' };
  for (const [a, b, code, said] of [
    [
      one,
      other,
      7,
      /CONFLICT ENTRY_CONFLICT: .*\n.*BATCH_CONFLICT: .*\nCONFLICT: both proofs carry the signature/,
    ],
    [bad, other, 7, /FAILS {4}STATE_DIFFERS[^]*CONFLICT ENTRY_CONFLICT: /],
    [
      one,
      unsigned,
      4,
      /warning {2}UNSIGNED_CONTRADICTION: .*\nThe two proofs are no evidence against the log/,
    ],
    [unsigned, log.pending(whole.subject.id, entries[0]), 4, /warning {2}UNSIGNED_CONTRADICTION: /],
    [one, new SignedLog().cut(whole.subject.id, entries[1]), 1, /compared with no other/],
  ] as const) {
    await writeFile(paths[1], JSON.stringify(a));
    await writeFile(paths[2], JSON.stringify(b));
    for (const both of [paths.slice(1), paths.slice(1).toReversed()])
      t.match(await sentinel('verify', ...both, '--trust', paths[0]), { code, stdout: said });
  }
});

t.test('inputs can be pipes, and the trust file is read strictly', { timeout: FILE_MS }, async (t) => {
  const piped = await run(
    `${process.execPath} ${SENTINEL} verify whole.json --trust trust.json --file <(printf piped)`,
  );
  t.match(piped, { code: 1, stdout: /FAILS {4}FILE: \S+ has only 5 of \d+ bytes/, stderr: '' });
  t.match(await verify(whole, ...KNOWN, '--file', folder), {
    code: 1,
    stderr: /^sentinel verify: \S+ is a folder, not a file\n$/,
  });
});

t.test('an input without an end is cut off, each with one line', { timeout: FILE_MS }, async (t) => {
  const inputs: readonly (readonly [args: string, says: RegExp])[] = [
    [`<(yes '{') --trust trust.json`, /TOO_LARGE/],
    [`whole.json --trust <(yes '{')`, /is no trust file: .*\(TOO_LARGE: 64 KiB at most\)\n$/],
    [`whole.json --trust trust.json --policy <(yes '#')`, /is too large: 64 KiB at most\n$/],
    [
      `whole.json --trust trust.json --checkpoint <(yes) --consistency <(yes '[')`,
      /\(TOO_LARGE: 16 KiB at most\)\n$/,
    ],
    [`whole.json --trust trust.json --seals <(yes '{' | tr -d '\n')`, /TOO_LARGE: [^\n]*\n$/],
  ];
  for (const [args, says] of inputs) {
    const { code, stdout, stderr } = await run(`${process.execPath} ${SENTINEL} verify ${args}`);
    t.equal(code, 1, args);
    t.match(stderr === '' ? stdout : stderr, says, args);
    t.notMatch(stderr, /\n./, 'one line');
  }
});

t.test('unusable input is one line, wrong words show how it is used', { timeout: FILE_MS }, async (t) => {
  t.match(await verify(whole), { code: 2, stderr: /--trust is missing/ });
  t.match(await sentinel('verify'), { code: 2, stderr: /give one proof, or two/ });
  t.match(await verify(whole, ...TRUSTED, '--headers', HEADERS), { code: 1, stderr: /need --after/ });
  t.match(await verify(whole, '--trust', TRUST, '--after', AFTER), {
    code: 2,
    stderr: /goes with --headers/,
  });
  t.match(await verify(whole, '--what'), { code: 2 });
  for (const option of ['--checkpoint', '--seals', '--trust'])
    t.match(await verify(whole, '--trust', TRUST, option, join(folder, 'nothing'), option, TRUST), {
      code: 2,
      stderr: /^sentinel verify: --\w+ is given twice\n$/,
    });
  t.match(await verify(whole, '--trust', SENTINEL), { code: 1, stderr: /is no trust file/ });
  t.match(await verify(whole, '--trust', join(folder, 'nothing')), { code: 1, stderr: /ENOENT/ });
  const foreign = ['--trust', TRUST, '--headers', HEADERS, '--after', `1:${'0'.repeat(64)}:1d00ffff`];
  t.match(await verify(whole, ...foreign), { code: 1, stderr: /\(NOT_LINKED at height 2\)/ });
  t.match(await verify(whole, ...TRUSTED, '--headers', HEADERS, '--after', '7'), {
    code: 1,
    stderr: /takes HEIGHT:HASH/,
  });
  t.match(await sentinel('verify', '--help'), { code: 0, stdout: /usage: sentinel verify PROOF/ });
});
