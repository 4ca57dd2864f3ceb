import { open } from 'node:fs/promises';
import {
  BLOCK_HEADER_BYTES,
  checkHeaders,
  PROOF_LIMITS,
  ProofTrustSchema,
  type HeaderChain,
  type HeaderCheckpoint,
  type HeaderProblem,
  type ProofTrust,
} from '@sentinel-node/contracts';
import { Check } from 'typebox/value';

/** One more than a proof may have, so that a longer one is seen to be longer. */
const MAX_PROOF_BYTES = PROOF_LIMITS.documentBytes + 1;
const MAX_TRUST_BYTES = 65_536;
/** About 76 years of blocks. */
const MAX_HEADERS_BYTES = 4_000_000 * BLOCK_HEADER_BYTES;

/** Something that was given to the command cannot be used. */
export class VerifyInputError extends Error {}

const PROBLEMS: Readonly<Record<HeaderProblem, string>> = {
  BEFORE_FORK: 'begin before the fork of 2018: BTC, BCH and BSV share what was before',
  NOT_HEADERS: 'are not headers of 80 bytes each',
  TOO_MANY_HEADERS: 'are too many',
  NOT_LINKED: 'do not follow the known block, or one another',
  NO_WORK: 'have a header without its work',
  TOO_EASY: 'have a header that was far easier to make than the known block',
};

/** The first bytes of a file, at most `limit` of them. */
async function readUpTo(path: string, limit: number): Promise<Uint8Array> {
  const file = await open(path);
  try {
    const { size } = await file.stat();
    const bytes = new Uint8Array(Math.min(size, limit));
    const { bytesRead } = await file.read(bytes, 0, bytes.length, 0);
    return bytes.subarray(0, bytesRead);
  } finally {
    await file.close();
  }
}

/** The proof as it is; what is wrong with it is for the check to say. */
export const readProofFile = (path: string): Promise<Uint8Array> => readUpTo(path, MAX_PROOF_BYTES);

/** @throws VerifyInputError */
export async function readTrust(path: string): Promise<ProofTrust> {
  const text = Buffer.from(await readUpTo(path, MAX_TRUST_BYTES)).toString('utf8');
  try {
    const trust: unknown = JSON.parse(text);
    if (Check(ProofTrustSchema, trust)) return trust;
  } catch {
    // Told below, as what has another form is.
  }
  throw new VerifyInputError(`${path} is no trust file: {"origin", "publicKey", "network", "genesisTxid"}`);
}

/** @param after `HEIGHT:HASH:BITS` of the block before the first header. @throws VerifyInputError */
export async function readHeaders(path: string, after: string, network: string): Promise<HeaderChain> {
  const chain = checkHeaders(await readUpTo(path, MAX_HEADERS_BYTES), knownBlock(after), network);
  if (typeof chain !== 'string') return chain;
  throw new VerifyInputError(`the headers in ${path} ${PROBLEMS[chain]} (${chain})`);
}

function knownBlock(after: string): HeaderCheckpoint {
  const match = /^(\d{1,10}):([0-9a-f]{64}):([0-9a-f]{8})$/.exec(after);
  if (match === null) throw new VerifyInputError('--after takes HEIGHT:HASH:BITS, the bits as 8 hex digits');
  const [, height = '', hash = '', bits = ''] = match;
  return { height: Number(height), hash, bits: Number.parseInt(bits, 16) };
}
