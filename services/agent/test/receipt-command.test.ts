/** Tests `sentinel receipt` on the recorded receipts, as a third party runs it. */
import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { SignedLog } from '@sentinel-node/test-kit/fakes';
import type { KeptReceipt, Proof, ProofTrust } from '@sentinel-node/contracts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const SENTINEL = join(ROOT, 'services/agent/bin/sentinel.mjs');
const vector = async <T>(name: string): Promise<T> =>
  JSON.parse(await readFile(join(ROOT, 'contracts/vectors', name), 'utf8')) as T;

// Each check is a process of its own.
t.setTimeout(300_000);

interface Flush {
  readonly receipts: readonly { readonly kept: KeptReceipt }[];
}
const [, , flush] = await vector<readonly Flush[]>('receipts.json');
const { kept } = flush!.receipts[1]!;
const { proofs, trust } = await vector<{
  readonly trust: ProofTrust;
  readonly proofs: readonly { readonly name: string; readonly proof: Proof }[];
}>('proof.json');

async function sentinel(...args: string[]) {
  const child = spawn(process.execPath, [SENTINEL, 'receipt', ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

/** Runs the command in a folder with these files; a file's name as an argument becomes its path. */
function inFolder(t: Test, files: Readonly<Record<string, unknown>>) {
  const texts = Object.entries({ trust, ...files }).map(([name, content]): [string, string] => [
    name,
    typeof content === 'string' ? content : JSON.stringify(content),
  ]);
  const folder = t.testdir(Object.fromEntries(texts));
  const names = new Set(texts.map(([name]) => name));
  return (...args: string[]) =>
    sentinel(...args.map((word) => (names.has(word) ? join(folder, word) : word)));
}

t.test('a receipt that the log signed holds, by itself', async (t) => {
  const run = inFolder(t, { receipt: kept });
  const { code, stdout } = await run('receipt', '--trust', 'trust');
  t.equal(code, 0);
  t.match(stdout, /^HOLDS\n/);
  t.match(stdout, /\n {2}entry {5}not shown: without the proof that the server gives for the report, /);
  t.match(stdout, kept.fileId);
  t.match(stdout, new Date(kept.receipt.acceptedAt).toISOString());
  const json = await run('receipt', '--trust', 'trust', '--json');
  t.match(JSON.parse(json.stdout), {
    outcome: 'HOLDS',
    why: null,
    reportHash: kept.reportHash,
    isEntryShown: false,
  });
});

t.test('a receipt of something else, or of another log, fails', async (t) => {
  const later = { ...kept, receipt: { ...kept.receipt, acceptedAt: kept.receipt.acceptedAt + 1 } };
  const never = { ...kept, receipt: { ...kept.receipt, acceptedAt: Number.MAX_SAFE_INTEGER } };
  const run = inFolder(t, {
    later,
    never,
    other: { ...kept, reportHash: '00'.repeat(32) },
    receipt: kept,
    report: '{}',
  });
  for (const name of ['later', 'other', 'never'])
    t.match(await run(name, '--trust', 'trust'), {
      code: 1,
      stdout: /^FAILS: the key of the trust file did not/,
    });
  t.match(await run('receipt', '--trust', 'trust', '--report', 'report'), {
    code: 1,
    stdout: /^FAILS: it is of another report/,
  });
});

t.test('a receipt of a time to come shows nothing', async (t) => {
  const log = new SignedLog();
  const { reportHash } = proofs[0]!.proof.entry;
  const run = inFolder(t, {
    trust: log.trust,
    ahead: log.receipt(kept.fileId, reportHash!, Date.now() + 86_400_000),
    near: log.receipt(kept.fileId, reportHash!, Date.now() + 60_000),
  });
  t.match(await run('ahead', '--trust', 'trust'), {
    code: 1,
    stdout: /^NOT SHOWN: the log signed a time that is to come/,
  });
  t.match(await run('near', '--trust', 'trust'), { code: 0, stdout: /^HOLDS\n/ });
});

t.test('only a proof that the log signed breaks the promise', async (t) => {
  const log = new SignedLog();
  const { entry, subject } = proofs[0]!.proof;
  const { acceptedAt, reportHash } = entry;
  const moved = { ...entry, acceptedAt: acceptedAt + 60_001 };
  const earlier = { ...entry, acceptedAt: acceptedAt - 1 };
  const run = inFolder(t, {
    trust: log.trust,
    receipt: log.receipt(subject.id, reportHash!, acceptedAt),
    kept: log.cut(subject.id, entry),
    moved: log.cut(subject.id, moved),
    earlier: log.cut(subject.id, earlier),
    beside: log.cut(subject.id, { ...entry, acceptedAt: acceptedAt + 60_000 }),
    unsigned: log.pending(subject.id, moved),
    changed: { ...log.cut(subject.id, entry), entry: moved },
    foreign: new SignedLog().cut(subject.id, entry),
    report: log.cut(subject.id, { ...entry, reportHash: '22'.repeat(32) }),
    file: log.cut(randomUUID(), entry),
    garbage: '{}',
  });
  for (const [proof, code, said] of [
    ['kept', 0, /^HOLDS\n(?![^]*not shown)/],
    ['earlier', 0, /^HOLDS\n[^]*\n {2}entry {5}accepted at .*Z: the same report was sent more than once\n/],
    ['beside', 0, /^HOLDS\n/],
    ['moved', 3, /^BROKEN PROMISE: the server says a later time of acceptance/],
    ['unsigned', 1, /^FAILS: the proof says a later time of acceptance, and the log did not sign it/],
    ['changed', 1, /^FAILS: the proof does not hold/],
    ['foreign', 1, /^FAILS: the proof does not hold/],
    ['report', 1, /^FAILS: the proof is of another report/],
    ['file', 1, /^FAILS: the proof is of another report/],
  ] as const)
    t.match(await run('receipt', '--trust', 'trust', '--proof', proof), { code, stdout: said }, proof);
  t.match(await run('receipt', '--trust', 'trust', '--proof', 'garbage'), { code: 1, stderr: /is no proof/ });
});

t.test('a proof without a batch, which anybody can make, neither keeps nor breaks a promise', async (t) => {
  const log = new SignedLog();
  const { entry, subject } = proofs[0]!.proof;
  const of = (acceptedAt: number) => {
    const cut = log.cut(subject.id, { ...entry, acceptedAt });
    const receipt = log.receipt(subject.id, entry.reportHash!, acceptedAt);
    return { cut, receipt, made: { ...cut, state: 'PENDING', batch: null, transaction: null, block: null } };
  };
  const [old, recent] = [of(Date.UTC(2020, 0)), of(Date.now() - 3_600_000)];
  const run = inFolder(t, {
    trust: log.trust,
    old: old.receipt,
    cut: old.cut,
    made: old.made,
    recent: recent.receipt,
    early: recent.made,
  });
  t.match(await run('old', '--trust', 'trust', '--proof', 'cut'), { code: 0, stdout: /^HOLDS\n/ });
  t.match(await run('recent', '--trust', 'trust', '--proof', 'early'), {
    code: 1,
    stdout:
      /^NOT SHOWN: the proof has no batch, and nobody signed it: ask the server again for the proof\. It may wait for its batch until \d{4}-\S+Z\n/,
  });
  t.match(await run('old', '--trust', 'trust', '--proof', 'made'), {
    code: 1,
    stdout: /^NOT SHOWN: the proof has no batch, and nobody signed it: ask the server again for the proof\n/,
  });
});

t.test('what cannot be used is said in a line', async (t) => {
  const long = `{"format":"${'x'.repeat(20_000)}"}`;
  const more = JSON.stringify(kept).replace('"receipt":{', '"receipt":{"more":1,');
  const run = inFolder(t, { receipt: kept, long, more, twice: '{"format":"a","format":"b"}', list: '[]' });
  for (const name of ['long', 'twice', 'list'])
    t.match(await run(name, '--trust', 'trust'), {
      code: 1,
      stderr: /^sentinel receipt: .* is no receipt: .*\n$/,
    });
  t.match(await run('more', '--trust', 'trust'), {
    code: 1,
    stderr: /\(UNKNOWN_FORM at \/receipt\/more\)\n$/,
  });
  t.match(await run('long', '--trust', 'trust'), { code: 1, stderr: /\(TOO_LARGE: 16 KiB at most\)\n$/ });
  t.match(await run('receipt', '--trust', 'receipt'), { code: 1, stderr: /is no trust file/ });
  t.match(await run('/none', '--trust', 'trust'), { code: 1, stderr: /^sentinel receipt: ENOENT.*\n$/ });
  t.match(await run(), { code: 2, stderr: /give one receipt/ });
  t.match(await run('receipt'), { code: 2, stderr: /--trust is missing/ });
  t.match(await run('receipt', 'receipt', '--trust', 'trust'), { code: 2, stderr: /give one receipt/ });
  t.match(await run('--help'), { code: 0, stdout: /usage: sentinel receipt/ });
});
