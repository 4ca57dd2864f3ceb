/** `sentinel verify` as a stranger runs it, on the recorded proofs. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { text } from 'node:stream/consumers';
import t from 'tap';
import type { Proof, ProofTrust } from '@sentinel-node/contracts';

const ROOT = fileURLToPath(new URL('../../../../', import.meta.url));
const SENTINEL = join(ROOT, 'services/agent/bin/sentinel.mjs');

interface Vectors {
  readonly trust: ProofTrust;
  readonly checkpoint: { readonly height: number; readonly hash: string; readonly bits: number };
  readonly headers: string;
  readonly proofs: readonly { readonly name: string; readonly proof: Proof }[];
}
const { trust, checkpoint, headers, proofs } = JSON.parse(
  await readFile(join(ROOT, 'contracts/vectors/proof.json'), 'utf8'),
) as Vectors;
const AFTER = `${checkpoint.height}:${checkpoint.hash}:${checkpoint.bits.toString(16).padStart(8, '0')}`;
const proofNamed = (name: string): Proof => proofs.find((one) => one.name === name)!.proof;
const whole = proofNamed('whole');

const folder = t.testdir({ 'trust.json': JSON.stringify(trust) });
const TRUST = join(folder, 'trust.json');
const HEADERS = join(folder, 'headers');
await writeFile(HEADERS, Buffer.from(headers, 'hex'));
const KNOWN = ['--trust', TRUST, '--headers', HEADERS, '--after', AFTER];

async function sentinel(...args: string[]) {
  const child = spawn(process.execPath, [SENTINEL, ...args], { stdio: ['ignore', 'pipe', 'pipe'] });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}

let files = 0;
async function verify(proof: unknown, ...args: string[]) {
  const path = join(folder, `proof-${files++}.json`);
  await writeFile(path, typeof proof === 'string' ? proof : JSON.stringify(proof));
  return sentinel('verify', path, ...args);
}

t.test('a proof holds by the trust file and headers from elsewhere', async (t) => {
  const { code, stdout, stderr } = await verify(whole, ...KNOWN);
  t.equal(code, 0, stderr);
  for (const holding of ['LOG', 'LINK', 'LEAF', 'BATCH', 'CHECKPOINT', 'ANCHOR', 'BLOCK', 'TIME'])
    t.match(stdout, new RegExp(`^ {2}holds {4}${holding}: `, 'm'));
  t.match(stdout, whole.entry.contentHash);
  t.match(stdout.trimEnd().split('\n').at(-1), /^HOLDS/);
  const { code: sameCode, stdout: json } = await verify(whole, ...KNOWN, '--json');
  t.equal(sameCode, 0);
  t.match(JSON.parse(json), { outcome: 'HOLDS', fails: [], block: { height: whole.block?.height } });
});

t.test('what is missing, or only a development ledger, has an exit code of its own', async (t) => {
  t.match(await verify(whole, '--trust', TRUST), { code: 5, stdout: /SELF_SUPPLIED/ });
  for (const name of ['sent', 'cut', 'pending'])
    t.match(await verify(proofNamed(name), ...KNOWN), { code: 4, stdout: /INCOMPLETE/ }, name);
  const dev = { ...whole, transaction: { ...whole.transaction, network: 'dev' } };
  const trustsDev = join(folder, 'dev.json');
  await writeFile(trustsDev, JSON.stringify({ ...trust, network: 'dev' }));
  t.match(await verify(dev, '--trust', trustsDev), { code: 3, stdout: /^NOT PUBLIC/m });
});

t.test('what was changed, or is of another log, fails', async (t) => {
  const changed = { ...whole, entry: { ...whole.entry, length: (whole.entry.length ?? 0) + 1 } };
  t.match(await verify(changed, ...KNOWN), { code: 1, stdout: /FAILS {4}LINK_HASH_DIFFERS/ });
  t.match(await verify('{', ...KNOWN), { code: 1, stdout: /NOT_JSON/ });
  const other = join(folder, 'other.json');
  await writeFile(other, JSON.stringify({ ...trust, publicKey: '09'.repeat(32) }));
  t.match(await verify(whole, '--trust', other), { code: 1, stdout: /LOG_DIFFERS/ });
});

t.test('a file is compared with what the entry says', async (t) => {
  const empty = join(folder, 'empty');
  await writeFile(empty, '');
  const { code, stdout } = await verify(whole, ...KNOWN, '--file', empty);
  t.equal(code, 1);
  t.match(stdout, /FAILS {4}FILE: .* has only 0 of \d+ bytes/);
  t.match(stdout, /^FAILS: the file is another$/m);
});

t.test('unusable input is one line, wrong words show how it is used', async (t) => {
  t.match(await verify(whole), { code: 2, stderr: /--trust is missing/ });
  t.match(await sentinel('verify'), { code: 2, stderr: /give one proof/ });
  t.match(await verify(whole, '--trust', TRUST, '--headers', HEADERS), { code: 2, stderr: /go together/ });
  t.match(await verify(whole, '--what'), { code: 2 });
  t.match(await verify(whole, '--trust', SENTINEL), { code: 1, stderr: /is no trust file/ });
  t.match(await verify(whole, '--trust', join(folder, 'nothing')), { code: 1, stderr: /ENOENT/ });
  const foreign = ['--trust', TRUST, '--headers', HEADERS, '--after', `1:${'0'.repeat(64)}:1d00ffff`];
  t.match(await verify(whole, ...foreign), { code: 1, stderr: /\(NOT_LINKED\)/ });
  t.match(await sentinel('verify', '--help'), { code: 0, stdout: /usage: sentinel verify PROOF/ });
});
