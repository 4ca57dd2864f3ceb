/** The check itself: `sentinel verify` for files that a person chose in a browser. It makes no request and sends nothing. */
import { sha256 } from '@noble/hashes/sha2.js';
import {
  BLOCK_HEADER_BYTES,
  byteLines,
  CHECK_EXIT_CODES,
  checkProof,
  compareContent,
  concludeCheck,
  consistencyFrom,
  headerSteps,
  INPUT_LIMITS,
  isBundle,
  knownBlockFor,
  noteFrom,
  printedCheck,
  printedConflicts,
  SEAL_LIMITS,
  sealsFrom,
  toHex,
  trustFrom,
  usableHeaders,
  VerifyInputError,
  withPolicy,
  type CheckConclusion,
  type CheckedProof,
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
import { pieces, readUpTo } from './read-file.ts';

export interface Progress {
  readonly what: string;
  /** Both numbers are in bytes. */
  readonly done: number;
  readonly total: number;
}

export interface CheckTools {
  readonly pace: Pace;
  /** The part that runs the scripts of seals; used only when seals were given. @throws Error when it cannot be loaded */
  readonly spendCheck: () => Promise<SpendCheck>;
  readonly onProgress: (progress: Progress) => void;
}

export interface NamedCheck extends CheckedProof {
  /** Name of the proof's file. */
  readonly name: string;
}

export interface CheckReport {
  readonly checked: readonly NamedCheck[];
  readonly conclusion: CheckConclusion;
  /** The exit code of `sentinel verify` for the same inputs. */
  readonly exitCode: number;
  readonly trust: ProofTrust;
  /** The text that `sentinel verify` prints. */
  readonly printed: string;
}

/**
 * @param inputs without `misuse`
 * @throws VerifyInputError when an input other than a proof cannot be used; the error of `tools.pace` when the check is ended
 */
export async function runCheck(inputs: CheckInputs, tools: CheckTools): Promise<CheckReport> {
  const { proofs, watched } = inputs.files;
  const trust = await readTrust(inputs);
  const options = await optionsOf(inputs, trust, tools);
  const checked: NamedCheck[] = [];
  const documents = await Promise.all(proofs.map(proofIn));
  for (const { name, document } of documents) {
    await tools.pace.step();
    const verdict = await checkProof(document, trust, options);
    const [file] = watched;
    const compared =
      file === undefined
        ? undefined
        : await compareContent(file.name, verdict.proof?.entry, (length) => hashStart(file, length, tools));
    checked.push({ name, verdict, file: compared, headers: options.headers });
  }
  const conclusion = concludeCheck(checked);
  const printed = [
    ...checked.map((one) => printedCheck(one, FIELD_NAMES)),
    ...conclusion.pairs.map(({ conflicts }) => printedConflicts(conflicts, FIELD_NAMES)),
  ].join('\n');
  return { checked, conclusion, exitCode: CHECK_EXIT_CODES[conclusion.end], trust, printed };
}

/** The proof as given; the check reports its faults. @throws VerifyInputError for a bundle */
async function proofIn(file: File): Promise<{ readonly name: string; readonly document: Uint8Array }> {
  const document = await read(file, 'proof');
  if (isBundle(document))
    throw new VerifyInputError(
      `${file.name} is a bundle, the proofs of a whole history: sentinel verify checks it, this page single proofs only.`,
    );
  return { name: file.name, document };
}

const only = ({ files }: CheckInputs, kind: FileKind): File | undefined => files[kind][0];

/** Reads one byte more than the limit, so that a file above the limit is noticed. */
const read = (file: File, kind: keyof typeof INPUT_LIMITS): Promise<Uint8Array> =>
  readUpTo(file, INPUT_LIMITS[kind] + 1);

async function readTrust(inputs: CheckInputs): Promise<ProofTrust> {
  const [file, policy] = [only(inputs, 'trust')!, only(inputs, 'policy')];
  const trust = trustFrom(file.name, await read(file, 'trust'));
  return policy === undefined ? trust : withPolicy(policy.name, await read(policy, 'policy'), trust);
}

async function optionsOf(
  inputs: CheckInputs,
  trust: ProofTrust,
  tools: CheckTools,
): Promise<ProofCheckOptions> {
  const headers = await readHeaders(inputs, trust.network, tools);
  return {
    verifySignature: verifyEd25519,
    intervalMs: Number(inputs.intervalSeconds) * 1_000,
    oneLog: await oneLogOf(inputs, trust, tools),
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
      done: step.value * BLOCK_HEADER_BYTES,
      total: bytes.length,
    });
    await pace.step();
  }
}

async function oneLogOf(inputs: CheckInputs, trust: ProofTrust, tools: CheckTools): Promise<OneLogEvidence> {
  const [seals, checkpoint, consistency] = (['seals', 'checkpoint', 'consistency'] as const).map((kind) =>
    only(inputs, kind),
  );
  return {
    ...(seals !== undefined && {
      seals: await sealsFrom(seals.name, sealLines(seals, tools), trust, await tools.spendCheck()),
    }),
    ...(checkpoint !== undefined && {
      checkpoint: noteFrom(checkpoint.name, await read(checkpoint, 'checkpoint')),
    }),
    ...(consistency !== undefined && {
      consistency: consistencyFrom(consistency.name, await read(consistency, 'consistency')),
    }),
  };
}

async function* sealLines(file: File, { onProgress, pace }: CheckTools): AsyncGenerator<Uint8Array> {
  let done = 0;
  for await (const line of byteLines(pieces(file), SEAL_LIMITS.documentBytes)) {
    await pace.step();
    yield line;
    done = Math.min(file.size, done + line.length + 1);
    onProgress({ what: 'Checking the seals', done, total: file.size });
  }
}

async function hashStart(file: File, length: number, { onProgress, pace }: CheckTools): Promise<HashedStart> {
  const hash = sha256.create();
  const total = Math.min(length, file.size);
  let done = 0;
  const begin = new File([file.slice(0, total)], file.name);
  for await (const piece of pieces(begin)) {
    hash.update(piece);
    done += piece.length;
    onProgress({ what: 'Hashing the watched file', done, total });
    await pace.step();
  }
  return { length: done, hash: toHex(hash.digest()), goesOn: file.size > length };
}
