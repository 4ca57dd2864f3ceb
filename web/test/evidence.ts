/** Recorded proofs and all that a stranger checks them with, as files. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import type { Proof, ProofTrust } from '@sentinel-node/contracts';

/** Compiled, this file lies in web/dist-test/test. */
const ROOT = new URL('../../../', import.meta.url);
const SENTINEL = fileURLToPath(new URL('services/agent/bin/sentinel.mjs', ROOT));

interface Recorded {
  readonly trust: ProofTrust;
  readonly checkpoint: { readonly height: number; readonly hash: string; readonly bits: number };
  readonly headers: string;
}
interface Proofs extends Recorded {
  readonly proofs: readonly { readonly name: string; readonly proof: Proof }[];
}
interface Sealed extends Recorded {
  readonly proof: Proof;
  readonly lines: readonly string[];
}
interface Log {
  readonly checkpoints: readonly { readonly note: string }[];
}

/** The recorded blocks are easy, as those of `test` never are: they are read as blocks of a network without known rules. */
const OF_TEST = /(\\?"network\\?": ?\\?")test/g;
const vector = async <T>(name: string): Promise<T> => {
  const recorded = await readFile(new URL(`contracts/vectors/${name}`, ROOT), 'utf8');
  return JSON.parse(recorded.replace(OF_TEST, '$1recorded')) as T;
};

const { trust, checkpoint, headers, proofs } = await vector<Proofs>('proof.json');
const sealed = await vector<Sealed>('seals.json');
const { checkpoints } = await vector<Log>('log.json');

/** A block that the stranger knows. */
export const KNOWN_BLOCK = `${checkpoint.height}:${checkpoint.hash}:${checkpoint.bits.toString(16).padStart(8, '0')}`;

export const proofNamed = (name: string): Proof => {
  const found = proofs.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no proof ${name}`);
  return found.proof;
};
export const sealedProof = sealed.proof;

/** The same entry, with a byte more: its link hash does not follow any more. */
export const tampered = (proof: Proof): Proof => ({
  ...proof,
  entry: { ...proof.entry, length: (proof.entry.length ?? 0) + 1 },
});

export interface EvidenceFile {
  readonly name: string;
  readonly mimeType: string;
  readonly buffer: Buffer;
}

export const fileOf = (name: string, content: string | Uint8Array | object): EvidenceFile => {
  const isBytes = content instanceof Uint8Array;
  const body = typeof content === 'string' || isBytes ? content : JSON.stringify(content);
  return { name, mimeType: 'application/octet-stream', buffer: Buffer.from(body as string) };
};

export const EVIDENCE = {
  proof: fileOf('proof.json', proofNamed('whole')),
  trust: fileOf('trust.json', trust),
  headers: fileOf('headers', Buffer.from(headers, 'hex')),
  checkpoint: fileOf('checkpoint', checkpoints.at(-1)?.note ?? ''),
  sealedProof: fileOf('sealed-proof.json', sealedProof),
  sealedTrust: fileOf('sealed-trust.json', sealed.trust),
  sealedHeaders: fileOf('sealed-headers', Buffer.from(sealed.headers, 'hex')),
  seals: fileOf('seals.ndjson', sealed.lines.map((line) => `${line}\n`).join('')),
} as const;

export interface Printed {
  readonly code: number | null;
  readonly stdout: string;
  readonly stderr: string;
}

/** What the command says. */
export async function sentinelVerify(cwd: string, ...args: string[]): Promise<Printed> {
  const child = spawn(process.execPath, [SENTINEL, 'verify', ...args], { cwd });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}
