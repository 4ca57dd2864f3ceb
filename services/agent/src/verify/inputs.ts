/** Reads the commands' input files; contracts parses them. */
import {
  byteLines,
  checkHeaders,
  consistencyFrom,
  INPUT_LIMITS,
  knownBlockFor,
  noteFrom,
  SEAL_LIMITS,
  sealsFrom,
  trustFrom,
  usableHeaders,
  withPolicy,
  type CheckedSeals,
  type Consistency,
  type HeaderChain,
  type InputNames,
  type ProofTrust,
} from '@sentinel-node/contracts';
import { readChunks, readUpTo } from './read-input.ts';

export { VerifyInputError } from '@sentinel-node/contracts';

/** Names of the inputs as options of `sentinel verify`, for messages. */
export const OPTION_NAMES: InputNames = {
  headers: '--headers',
  knownBlock: '--after',
  seals: '--seals',
  checkpoint: '--checkpoint',
  policy: '--policy',
};

/** Reads one byte above the limit, so that a too large file is noticed. */
const read = (path: string, kind: keyof typeof INPUT_LIMITS): Promise<Uint8Array> =>
  readUpTo(path, INPUT_LIMITS[kind] + 1);

/** Reads a proof or bundle without judging it, up to the larger limit of a bundle. */
export const readProofFile = (path: string): Promise<Uint8Array> => read(path, 'bundle');

/**
 * Reads the trust file.
 * @param policy file whose policy replaces the trust file's: the checker's own choice of witnesses
 * @throws VerifyInputError
 */
export async function readTrust(path: string, policy?: string): Promise<ProofTrust> {
  const trust = trustFrom(path, await read(path, 'trust'));
  return policy === undefined ? trust : withPolicy(policy, await read(policy, 'policy'), trust);
}

/** Reads a signed checkpoint. @throws VerifyInputError */
export const readNote = async (path: string): Promise<string> =>
  noteFrom(path, await read(path, 'checkpoint'));

/** Reads a consistency proof. @throws VerifyInputError */
export const readConsistency = async (path: string): Promise<Consistency> =>
  consistencyFrom(path, await read(path, 'consistency'));

/** Reads and checks every seal, with its signatures. @throws VerifyInputError with the code of the first wrong seal */
export async function readSeals(path: string, trust: ProofTrust): Promise<CheckedSeals> {
  // Load the ledger library only for seals: loading takes longer than checking a proof.
  const { verifySpend } = await import('@sentinel-node/contracts/ledger-spend');
  return sealsFrom(path, byteLines(readChunks(path), SEAL_LIMITS.documentBytes), trust, verifySpend);
}

/**
 * Reads and checks block headers.
 * @param after `HEIGHT:HASH:BITS` of the block before the first header; undefined for this software's known block
 * @throws VerifyInputError
 */
export async function readHeaders(
  path: string,
  after: string | undefined,
  network: string,
): Promise<HeaderChain> {
  const known = knownBlockFor(after, network, OPTION_NAMES);
  return usableHeaders(path, checkHeaders(await read(path, 'headers'), known, network), OPTION_NAMES);
}
