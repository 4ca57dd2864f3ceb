/** Recorded proofs and all that a stranger checks them with, as files. */
import { spawn } from 'node:child_process';
import { createHash, createPrivateKey, sign } from 'node:crypto';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { text } from 'node:stream/consumers';
import { fileURLToPath } from 'node:url';
import {
  CONSISTENCY_FORMAT,
  fromHex,
  logIdOf,
  RECEIPT_FORMAT,
  signReceipts,
  type Bundle,
  type Consistency,
  type KeptReceipt,
  type Proof,
  type ProofTrust,
} from '@sentinel-node/contracts';

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
  readonly consistency: readonly Omit<Consistency, 'format'>[];
}
interface Bundles {
  readonly bundles: readonly { readonly name: string; readonly bundle: Bundle }[];
}

/** The recorded blocks are easy, as those of `test` never are: they are read as blocks of a network without known rules. */
const OF_TEST = /(\\?"network\\?": ?\\?")test/g;
const vector = async <T>(name: string): Promise<T> => {
  const recorded = await readFile(new URL(`contracts/vectors/${name}`, ROOT), 'utf8');
  return JSON.parse(recorded.replace(OF_TEST, '$1recorded')) as T;
};

const { trust, checkpoint, headers, proofs } = await vector<Proofs>('proof.json');
const sealed = await vector<Sealed>('seals.json');
const { bundles } = await vector<Bundles>('bundle.json');
const { checkpoints, consistency } = await vector<Log>('log.json');

/** No rules of it are known: whoever checks names it. */
export const RECORDED_NETWORK = trust.network;
/** A block that the stranger knows. */
export const KNOWN_BLOCK = `${checkpoint.height}:${checkpoint.hash}:${checkpoint.bits.toString(16).padStart(8, '0')}`;

export const proofNamed = (name: string): Proof => {
  const found = proofs.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no proof ${name}`);
  return found.proof;
};
export const sealedProof = sealed.proof;
export const bundleNamed = (name: string): Bundle => {
  const found = bundles.find((one) => one.name === name);
  if (found === undefined) throw new Error(`no bundle ${name}`);
  return found.bundle;
};

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

/** Each leads from the log of a batch to the last checkpoint. */
export const LEADING = consistency
  .filter(({ to }) => to === checkpoints.length)
  .map((one) => fileOf(`from-${one.from}.json`, { format: CONSISTENCY_FORMAT, ...one }));

// PKCS #8 wrapping of a raw Ed25519 seed (RFC 8410); the seed of the recorded log is that of its vectors.
const PKCS8 = '302e020100300506032b657004220420';
const seed = createHash('sha256').update('vector log key seed').digest('hex');
const logKey = createPrivateKey({ key: Buffer.from(PKCS8 + seed, 'hex'), format: 'der', type: 'pkcs8' });

/** The receipt of the report that made the entry of a proof, as the recorded log would have given it. */
export function receiptOf({ entry, subject }: Proof): KeptReceipt {
  const { acceptedAt, reportHash = '' } = entry;
  const report = { fileId: subject.id, reportHash: fromHex(reportHash), acceptedAt };
  const logId = logIdOf(fromHex(trust.publicKey));
  const { path, signed } = signReceipts(logId, [report], (message) => sign(null, message, logKey));
  const receipt = { acceptedAt, index: 0, path: path(0), ...signed };
  return { format: RECEIPT_FORMAT, fileId: subject.id, reportHash, receipt };
}

export const EVIDENCE = {
  proof: fileOf('proof.json', proofNamed('whole')),
  trust: fileOf('trust.json', trust),
  headers: fileOf('headers', Buffer.from(headers, 'hex')),
  checkpoint: fileOf('checkpoint', checkpoints.at(-1)?.note ?? ''),
  bundle: fileOf('bundle.json', bundleNamed('of two batches in one block')),
  receipt: fileOf('receipt.json', receiptOf(proofNamed('whole'))),
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

/** What `sentinel verify` or `sentinel receipt` says. */
export async function sentinel(cwd: string, ...args: string[]): Promise<Printed> {
  const child = spawn(process.execPath, [SENTINEL, ...args], { cwd });
  const [stdout, stderr] = await Promise.all([text(child.stdout), text(child.stderr), once(child, 'close')]);
  return { code: child.exitCode, stdout, stderr };
}
