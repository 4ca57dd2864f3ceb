/** Reads the inputs of a check other than the proofs, from bytes to the arguments of `checkProof`. */
import { fromHex } from '../bytes/bytes.ts';
import { logIdOf, MAX_CHECKPOINT_LENGTH } from '../log/checkpoint.ts';
import { knownBlockOf } from '../ledger/header-checkpoints.ts';
import { BLOCK_HEADER_BYTES } from '../ledger/header-run.ts';
import {
  CONSISTENCY_LIMITS,
  ConsistencySchema,
  type CheckedSeals,
  type Consistency,
} from './check-one-log.ts';
import {
  MAX_HEADERS,
  type HeaderChain,
  type HeaderCheckpoint,
  type HeaderProblem,
  type HeaderRefusal,
} from './headers.ts';
import { POLICY_TOO_LONG, readTrustFile, TRUST_LIMITS, trustPolicyOf } from './json.ts';
import { BUNDLE_LIMITS } from './bundle.ts';
import { type ProofTrust } from './proof.ts';
import { PROOF_LIMITS } from '../proof-limits.ts';
import type { InputNames } from './report.ts';
import type { SpendCheck } from '../ledger/seal.ts';
import { SealChain } from '../ledger/seal-chain.ts';
import { readStrictJson, type UnreadableJson } from '../bytes/strict-json.ts';
import { misfitOf, parsePolicy, POLICY_LIMITS } from '../log/witness-policy.ts';

/** Thrown when an input cannot be used; the message names the input. */
export class VerifyInputError extends Error {}

/** Largest size of each input in bytes. Readers read one byte more, to notice a larger input. */
export const INPUT_LIMITS = {
  proof: PROOF_LIMITS.documentBytes,
  bundle: BUNDLE_LIMITS.documentBytes,
  trust: TRUST_LIMITS.documentBytes,
  policy: POLICY_LIMITS.bytes,
  /** Four bytes a character of UTF-8. */
  checkpoint: 4 * MAX_CHECKPOINT_LENGTH,
  consistency: CONSISTENCY_LIMITS.documentBytes,
  /** About 76 years of blocks. */
  headers: MAX_HEADERS * BLOCK_HEADER_BYTES,
} as const;

const HEADER_PROBLEMS: Readonly<Record<HeaderProblem, (names: InputNames) => string>> = {
  BEFORE_FORK: () => 'begin before the fork of 2018: BTC, BCH and BSV share what was before',
  NOT_HEADERS: () => 'are not headers of 80 bytes each',
  TOO_MANY_HEADERS: () => `are too many: ${MAX_HEADERS} at most`,
  NOT_LINKED: () => 'do not follow the known block, or one another',
  BITS_UNKNOWN: ({ knownBlock }) => `do not begin with the known block: give its bits with ${knownBlock}`,
  OTHER_CHAIN: () => 'do not hold the block that is known at this height',
  NO_WORK: () => 'have a header without its work',
  TOO_EASY: () => 'have a header that is far too easy to make',
  WRONG_DIFFICULTY: () => 'have a header with another difficulty than the headers before it ask for',
  TIME_TOO_OLD: () => 'have a header that is not later than those before it',
  TIME_TOO_NEW: () => 'have a header whose time is more than two hours ahead',
};

/** Returns a size such as `512 KiB`; in bytes when it is not a whole number of KiB. */
export function shownSize(bytes: number): string {
  if (bytes % 1_048_576 === 0) return `${bytes / 1_048_576} MiB`;
  return bytes % 1_024 === 0 ? `${bytes / 1_024} KiB` : `${bytes} bytes`;
}

/**
 * Reads a trust file as strictly as a proof.
 * @param name name of the file in messages
 * @throws VerifyInputError
 */
export function trustFrom(name: string, bytes: Uint8Array): ProofTrust {
  const read = readTrustFile(bytes);
  if ('value' in read) return read.value;
  throw new VerifyInputError(
    `${name} is no trust file: {"origin", "publicKey", "vkey", "network", "genesisTxid", "policy"} ${unreadableReason(read, INPUT_LIMITS.trust)}`,
  );
}

/**
 * Returns the trust with its policy of witnesses (C2SP tlog-policy) replaced by one that the checker chose.
 * @throws VerifyInputError
 */
export function withPolicy(name: string, bytes: Uint8Array, trust: ProofTrust): ProofTrust {
  const read = parsePolicy(textOf(name, bytes, INPUT_LIMITS.policy));
  if ('problem' in read)
    throw new VerifyInputError(`${name}${read.line === 0 ? '' : `:${read.line}`} ${read.problem}`);
  const misfit = misfitOf(read.policy, trust.origin, fromHex(trust.publicKey));
  if (misfit !== undefined)
    throw new VerifyInputError(`${name} is not for the log of the trust file: ${misfit}`);
  const policy = trustPolicyOf(read.policy);
  if (policy === undefined) throw new VerifyInputError(`${name} is too long: ${POLICY_TOO_LONG}`);
  return { ...trust, policy };
}

/**
 * Returns the network that a checker named, for `ProofCheckOptions.ownNetwork`; empty when the checker named none.
 * @throws VerifyInputError when the trust file is of another network
 */
export function ownNetworkOf(
  named: string | undefined,
  { network }: ProofTrust,
): { readonly ownNetwork?: string } {
  if (named === undefined) return {};
  if (named === network) return { ownNetwork: named };
  throw new VerifyInputError(`the trust file is of the network ${network}, not of ${named}`);
}

/** Decodes a kept checkpoint (a signed note) without checking it. @throws VerifyInputError */
export const noteFrom = (name: string, bytes: Uint8Array): string =>
  textOf(name, bytes, INPUT_LIMITS.checkpoint);

/** Reads a consistency proof. @throws VerifyInputError */
export function consistencyFrom(name: string, bytes: Uint8Array): Consistency {
  const read = readStrictJson(bytes, ConsistencySchema, CONSISTENCY_LIMITS);
  if ('value' in read) return read.value;
  throw new VerifyInputError(
    `${name} is no consistency proof ${unreadableReason(read, INPUT_LIMITS.consistency)}`,
  );
}

/**
 * Checks every seal, including its signatures.
 * @param lines lines of the seals file, each cut to `SEAL_LIMITS.documentBytes` + 1 bytes
 * @throws VerifyInputError with the code of the first wrong seal
 */
export async function sealsFrom(
  name: string,
  lines: AsyncIterable<Uint8Array>,
  { genesisTxid, network, publicKey }: ProofTrust,
  verifySpend: SpendCheck,
): Promise<CheckedSeals> {
  const chain = new SealChain({ logId: logIdOf(fromHex(publicKey)), network, genesisTxid }, verifySpend);
  let isFirst = true;
  for await (const line of lines) {
    const problem = isFirst ? chain.begin(line) : chain.add(line);
    isFirst = false;
    if (problem === undefined) continue;
    const place = problem.batch === undefined ? 'the first line' : `batch ${problem.batch}`;
    throw new VerifyInputError(`the seals in ${name} fail at ${place}: ${problem.code}: ${problem.text}`);
  }
  if (isFirst) throw new VerifyInputError(`${name} holds no seals`);
  return chain;
}

/**
 * Returns the known block with which headers are checked.
 * @param after `HEIGHT:HASH[:BITS]`; undefined selects the built-in block of the network
 * @throws VerifyInputError
 */
export function knownBlockFor(
  after: string | undefined,
  network: string,
  { knownBlock }: InputNames,
): HeaderCheckpoint {
  if (after === undefined) {
    const known = knownBlockOf(network);
    if (known !== undefined) return known;
    throw new VerifyInputError(`no block of the network ${network} is known: the headers need ${knownBlock}`);
  }
  const match = /^(\d{1,10}):([0-9a-f]{64})(?::([0-9a-f]{8}))?$/.exec(after);
  if (match === null)
    throw new VerifyInputError(
      `${knownBlock} takes HEIGHT:HASH or HEIGHT:HASH:BITS, the bits as 8 hex digits`,
    );
  const [, height = '', hash = '', bits] = match;
  return { height: Number(height), hash, ...(bits !== undefined && { bits: Number.parseInt(bits, 16) }) };
}

/** Returns the chain. @throws VerifyInputError with the reason when the headers were refused */
export function usableHeaders(
  name: string,
  read: HeaderChain | HeaderRefusal,
  names: InputNames,
): HeaderChain {
  if (!('problem' in read)) return read;
  const { height, problem } = read;
  const at = height === undefined ? '' : ` at height ${height}`;
  throw new VerifyInputError(`the headers in ${name} ${HEADER_PROBLEMS[problem](names)} (${problem}${at})`);
}

/** Returns in brackets why an input cannot be read: the code, and the limit or the member. @param limit in bytes */
export function unreadableReason(
  { problem, member }: { readonly problem: UnreadableJson; readonly member?: string },
  limit: number,
): string {
  if (problem === 'TOO_LARGE') return `(TOO_LARGE: ${shownSize(limit)} at most)`;
  return member === undefined || member === '' ? `(${problem})` : `(${problem} at ${member})`;
}

const decoder = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

function textOf(name: string, bytes: Uint8Array, limit: number): string {
  if (bytes.length > limit) throw new VerifyInputError(`${name} is too large: ${shownSize(limit)} at most`);
  try {
    return decoder.decode(bytes);
  } catch {
    throw new VerifyInputError(`${name} is not text in UTF-8`);
  }
}
