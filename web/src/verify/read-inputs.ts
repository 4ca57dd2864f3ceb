/** Reads the inputs of a check besides proofs from chosen files. */
import { sha256 } from '@noble/hashes/sha2.js';
import {
  BLOCK_HEADER_BYTES,
  byteLines,
  consistencyFrom,
  headerSteps,
  INPUT_LIMITS,
  knownBlockFor,
  noteFrom,
  ownNetworkOf,
  SEAL_LIMITS,
  sealsFrom,
  toHex,
  trustFrom,
  usableHeaders,
  withPolicy,
  type Consistency,
  type HashedStart,
  type HeaderChain,
  type OneLogEvidence,
  type ProofCheckOptions,
  type ProofTrust,
  type SpendCheck,
} from '@sentinel-node/contracts';
import { verifyEd25519 } from './ed25519.ts';
import { FIELD_NAMES, type CheckInputs, type FileKind } from './inputs.ts';
import type { Pace } from './pace.ts';
import { readChunks, readUpTo } from './read-file.ts';

export interface Progress {
  readonly what: string;
  readonly unit: 'bytes' | 'entries';
  readonly done: number;
  readonly total: number;
}

export interface CheckTools {
  readonly pace: Pace;
  /** Loads the part that runs the scripts of seals; called only with seals. @throws Error when it cannot be loaded */
  readonly spendCheck: () => Promise<SpendCheck>;
  readonly onProgress: (progress: Progress) => void;
}

export const only = ({ files }: CheckInputs, kind: FileKind): File | undefined => files[kind][0];

/** Reads one byte above the limit, so that a too large file is noticed. */
export const read = (file: File, kind: keyof typeof INPUT_LIMITS): Promise<Uint8Array> =>
  readUpTo(file, INPUT_LIMITS[kind] + 1);

export async function readTrust(inputs: CheckInputs): Promise<ProofTrust> {
  const [file, policy] = [only(inputs, 'trust')!, only(inputs, 'policy')];
  const trust = trustFrom(file.name, await read(file, 'trust'));
  return policy === undefined ? trust : withPolicy(policy.name, await read(policy, 'policy'), trust);
}

/** Reads all inputs except the proofs. @throws VerifyInputError */
export async function optionsOf(
  inputs: CheckInputs,
  trust: ProofTrust,
  tools: CheckTools,
): Promise<ProofCheckOptions> {
  const headers = await readHeaders(inputs, trust.network, tools);
  return {
    verifySignature: verifyEd25519,
    now: Date.now(),
    intervalMs: Number(inputs.intervalSeconds) * 1_000,
    oneLog: await oneLogOf(inputs, trust, tools),
    ...ownNetworkOf(inputs.network === '' ? undefined : inputs.network, trust),
    ...(headers !== undefined && { headers }),
  };
}

async function readHeaders(
  inputs: CheckInputs,
  network: string,
  { onProgress, pace }: CheckTools,
): Promise<HeaderChain | undefined> {
  const file = only(inputs, 'headers');
  if (file === undefined) return undefined;
  const after = inputs.knownBlock === '' ? undefined : inputs.knownBlock;
  const known = knownBlockFor(after, network, FIELD_NAMES);
  const bytes = await read(file, 'headers');
  const steps = headerSteps(bytes, known, network);
  for (;;) {
    const step = steps.next();
    if (step.done === true) return usableHeaders(file.name, step.value, FIELD_NAMES);
    onProgress({
      what: 'Checking the block headers',
      unit: 'bytes',
      done: step.value * BLOCK_HEADER_BYTES,
      total: bytes.length,
    });
    await pace.step();
  }
}

async function oneLogOf(inputs: CheckInputs, trust: ProofTrust, tools: CheckTools): Promise<OneLogEvidence> {
  const [seals, checkpoint] = (['seals', 'checkpoint'] as const).map((kind) => only(inputs, kind));
  const consistencies: Consistency[] = [];
  for (const file of inputs.files.consistency)
    consistencies.push(consistencyFrom(file.name, await read(file, 'consistency')));
  return {
    consistencies,
    ...(seals !== undefined && {
      seals: await sealsFrom(seals.name, sealLines(seals, tools), trust, await tools.spendCheck()),
    }),
    ...(checkpoint !== undefined && {
      checkpoint: noteFrom(checkpoint.name, await read(checkpoint, 'checkpoint')),
    }),
  };
}

async function* sealLines(file: File, { onProgress, pace }: CheckTools): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const line of byteLines(readChunks(file), SEAL_LIMITS.documentBytes)) {
    await pace.step();
    yield line;
    done = Math.min(file.size, done + line.length + 1);
    onProgress({ what: 'Checking the seals', unit: 'bytes', done, total: file.size });
  }
}

export async function hashStart(
  file: File,
  length: number,
  { onProgress, pace }: CheckTools,
): Promise<HashedStart> {
  const hash = sha256.create();
  const total = Math.min(length, file.size);
  let done = 0;
  const begin = new File([file.slice(0, total)], file.name);
  for await (const piece of readChunks(begin)) {
    hash.update(piece);
    done += piece.length;
    onProgress({ what: 'Hashing the watched file', unit: 'bytes', done, total });
    await pace.step();
  }
  return { length: done, hash: toHex(hash.digest()), goesOn: file.size > length };
}
