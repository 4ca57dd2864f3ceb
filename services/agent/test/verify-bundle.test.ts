/** Tests `sentinel verify` on the recorded bundles, as a third party runs it. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { text } from 'node:stream/consumers';
import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { CONSISTENCY_FORMAT, type Bundle, type Consistency } from '@sentinel-node/contracts';
import { recorded, SENTINEL, type RecordedLog } from './recorded.ts';

interface Vectors extends RecordedLog {
  readonly bundles: readonly { readonly name: string; readonly bundle: Bundle }[];
}
interface Log {
  readonly checkpoints: readonly { readonly note: string }[];
  readonly consistency: readonly Omit<Consistency, 'format'>[];
}
const { trust, checkpoint, headers, bundles } = await recorded<Vectors>('bundle.json');
const log = await recorded<Log>('log.json');
const bundleNamed = (name: string): Bundle => bundles.find((one) => one.name === name)!.bundle;
const two = bundleNamed('of two batches in one block');
const newest = log.checkpoints.length;
const leading = log.consistency
  .filter(({ to }) => to === newest)
  .map((one): Consistency => ({ format: CONSISTENCY_FORMAT, ...one }));

t.setTimeout(300_000);
const folder = t.testdir({
  trust: JSON.stringify(trust),
  checkpoint: log.checkpoints.at(-1)!.note,
  content: '',
  ...Object.fromEntries(leading.map((one) => [`from-${one.from}`, JSON.stringify(one)])),
});
await writeFile(join(folder, 'headers'), Buffer.from(headers, 'hex'));
const AFTER = `${checkpoint.height}:${checkpoint.hash}:${checkpoint.bits.toString(16).padStart(8, '0')}`;
/** Options that name the recorded blocks' network, which has no known rules. */
const TRUSTED = ['--trust', 'trust', '--network', trust.network];
const KNOWN = [...TRUSTED, '--headers', 'headers', '--after', AFTER, '--checkpoint', 'checkpoint'];
const LEADING = leading.flatMap(({ from }) => ['--consistency', `from-${from}`]);

let files = 0;
async function verify(document: string | object, ...args: readonly string[]) {
  const name = `bundle-${files++}`;
  await writeFile(join(folder, name), typeof document === 'string' ? document : JSON.stringify(document));
  const child = spawn(process.execPath, [SENTINEL, 'verify', name, ...args], {
    cwd: folder,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

t.test('of two proofs each has its own way to the kept checkpoint', async (t) => {
  const { proofs } = await recorded<{
    readonly proofs: readonly { readonly name: string; readonly proof: object }[];
  }>('proof.json');
  const [first, whole] = ['batch 0', 'whole'].map((name) => proofs.find((one) => one.name === name)!.proof);
  await writeFile(join(folder, 'whole'), JSON.stringify(whole));
  const found = await verify(first!, 'whole', ...KNOWN, ...LEADING);
  t.equal(found.code, 0, found.stderr + found.stdout);
});

t.test('a bundle holds, and says of how many entries of which kinds', async (t) => {
  const { code, stdout, stderr } = await verify(two, ...KNOWN, ...LEADING);
  t.equal(code, 0, stderr);
  t.match(stdout, /entries 0 to 6 \(GENESIS 1, BASELINE 1, LINK 1, BREAK 4\)/);
  t.match(stdout, /in 2 batches and 1 block\n/);
  t.match(stdout, /^ {2}holds {4}RANGE: /m);
  t.match(stdout, /NEWEST_NOT_SHOWN/);
  t.match(stdout.trimEnd().split('\n').at(-1), /^HOLDS: every entry /);
  const json = await verify(two, ...KNOWN, ...LEADING, '--json');
  matchWhole(t, JSON.parse(json.stdout), { outcome: 'HOLDS', fails: [], entries: { length: 7 } });
});

t.test('each outcome has the exit code that a proof has', async (t) => {
  t.match(await verify(two, ...KNOWN), { code: 6, stdout: /CONSISTENCY_NOT_SHOWN: .* \(entry 0\)/ });
  t.match(await verify(two, ...TRUSTED), { code: 5, stdout: /NO BLOCK KNOWN/ });
  const waiting = await verify(bundleNamed('the last entries wait'), ...KNOWN, ...LEADING);
  t.match(waiting, { code: 4, stdout: /INCOMPLETE: .* \(entries 7 to 10\)\n/ });
  t.match(await verify(two, '--trust', 'trust'), { code: 3, stdout: /NETWORK_UNKNOWN/ });
  const { entries } = two;
  t.match(await verify({ ...two, entries: entries.toSpliced(3, 1) }, ...KNOWN), {
    code: 1,
    stdout: /FAILS {4}ENTRY_MISSING: .* At \/entries\/3\./,
  });
  const changed = entries.map((one) => (one.number === 4 ? { ...one, acceptedAt: one.acceptedAt + 1 } : one));
  t.match(await verify({ ...two, entries: changed }, ...KNOWN), {
    code: 1,
    stdout: /FAILS {4}LINK_HASH_DIFFERS: .* \(entry 4\)/,
  });
  const hostile = `{"format":"sentinel/bundle/v1"${' '.repeat(20_000_000)}`;
  t.match(await verify(hostile, ...KNOWN), { code: 1, stdout: /TOO_LARGE: .* a bundle \(8 MiB\)/ });
});

t.test('two bundles, or a bundle and a proof, are held against each other', async (t) => {
  const all = JSON.stringify(bundleNamed('the last entries wait'));
  await writeFile(join(folder, 'other'), all);
  const both = await verify(two, 'other', ...KNOWN, ...LEADING);
  t.match(both, {
    code: 4,
    stdout:
      /\nThe two documents do not contradict each other\.\n\nTogether: INCOMPLETE: .* ask for the bundle again later\n$/,
  });
  const json = await verify(two, 'other', ...KNOWN, ...LEADING, '--json');
  matchWhole(t, JSON.parse(json.stdout), {
    outcome: 'INCOMPLETE',
    proofs: [{ entries: { length: 7 } }, { entries: { length: 11 } }],
    conflicts: [],
    conflictNumbers: {},
    warnings: [],
  });
  await writeFile(join(folder, 'other'), all.replace('"to":10', '"to":11'));
  t.match(await verify(two, 'other', ...KNOWN), {
    code: 1,
    stdout: /Together: FAILS: a document does not hold/,
  });
  await writeFile(join(folder, 'other'), '{');
  t.match(await verify(two, 'other', ...KNOWN), { code: 1, stdout: /was compared with no other\n$/ });
  t.match(await verify(two, 'other', 'other', ...KNOWN), { code: 2, stderr: /give one proof, or two/ });
});

t.test('a file is compared with the newest entry that says a content', async (t) => {
  const all = bundleNamed('the last entries wait');
  const until = (last: number): Bundle => ({ ...all, entries: all.entries.slice(0, last + 1), to: last });
  const args = ['--trust', 'trust', '--file', 'content'];
  t.match(await verify(all, ...args), {
    code: 1,
    stdout: /FAILS {4}FILE: content has only 0 of 8 bytes\.\nFAILS: the file is another/,
  });
  const { stdout } = await verify(all, ...args, '--json');
  matchWhole(t, JSON.parse(stdout), { outcome: 'FAILS', fails: [], file: { isSame: false } });
  t.match(await verify(until(8), ...args), { stdout: /has only 0 of 8 bytes/ }, 'a DISMISSED says none');
  t.match(await verify(until(6), ...args), { stdout: /has only 0 of 7 bytes/ });
  t.match(await verify(until(3), ...args), { code: 1, stdout: /FILE: The entry says nothing of a content/ });
});
