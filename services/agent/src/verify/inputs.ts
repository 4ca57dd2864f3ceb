/** Reads the files that the commands are given; what they mean is for contracts to say. */
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
import { pieces, readUpTo } from './read-input.ts';

export { VerifyInputError } from '@sentinel-node/contracts';

/** Options of `sentinel verify`. */
export const OPTION_NAMES: InputNames = {
  headers: '--headers',
  knownBlock: '--after',
  seals: '--seals',
  checkpoint: '--checkpoint',
  policy: '--policy',
};

/** One byte more than there may be, so that a larger file is seen to be larger. */
const read = (path: string, kind: keyof typeof INPUT_LIMITS): Promise<Uint8Array> =>
  readUpTo(path, INPUT_LIMITS[kind] + 1);

/** The proof or bundle as it is; what is wrong with it is for the check to say. A bundle may have more bytes. */
export const readProofFile = (path: string): Promise<Uint8Array> => read(path, 'bundle');

/**
 * @param policy file whose policy stands for that of the trust file: the checker's own choice of witnesses
 * @throws VerifyInputError
 */
export async function readTrust(path: string, policy?: string): Promise<ProofTrust> {
  const trust = trustFrom(path, await read(path, 'trust'));
  return policy === undefined ? trust : withPolicy(policy, await read(policy, 'policy'), trust);
}

/** @throws VerifyInputError */
export const readNote = async (path: string): Promise<string> =>
  noteFrom(path, await read(path, 'checkpoint'));

/** @throws VerifyInputError */
export const readConsistency = async (path: string): Promise<Consistency> =>
  consistencyFrom(path, await read(path, 'consistency'));

/** Every seal, checked: signatures too. @throws VerifyInputError with the code of the first that is wrong */
export async function readSeals(path: string, trust: ProofTrust): Promise<CheckedSeals> {
  // The ledger's library takes longer to load than a proof to check; seals alone need it.
  const { verifySpend } = await import('@sentinel-node/contracts/ledger-spend');
  return sealsFrom(path, byteLines(pieces(path), SEAL_LIMITS.documentBytes), trust, verifySpend);
}

/**
 * @param after `HEIGHT:HASH:BITS` of the block before the first header; undefined: the block that this software knows.
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
