import {
  BLOCK_HEADER_BYTES,
  BUNDLE_LIMITS,
  checkHeaders,
  CONSISTENCY_LIMITS,
  ConsistencySchema,
  equalBytes,
  formatPolicy,
  fromHex,
  knownBlockOf,
  isPolicyOf,
  logIdOf,
  MAX_CHECKPOINT_LENGTH,
  parsePolicy,
  POLICY_LIMITS,
  readStrictJson,
  readTrustFile,
  SEAL_LIMITS,
  SealChain,
  utf8,
  type Consistency,
  type HeaderChain,
  type HeaderCheckpoint,
  type HeaderProblem,
  type ProofTrust,
} from '@sentinel-node/contracts';
import { linesOf, readUpTo } from './read-input.ts';

/** One more than a bundle may have, so that a longer one is seen to be longer; a proof has less. */
const MAX_PROOF_BYTES = BUNDLE_LIMITS.documentBytes + 1;
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
  BITS_UNKNOWN: 'do not begin with the known block: give its bits with --after',
  OTHER_CHAIN: 'do not hold the block that is known at this height',
  NO_WORK: 'have a header without its work',
  TOO_EASY: 'have a header that is far too easy to make',
  WRONG_DIFFICULTY: 'have a header with another difficulty than the headers before it ask for',
  TIME_TOO_OLD: 'have a header that is not later than those before it',
  TIME_TOO_NEW: 'have a header whose time is more than two hours ahead',
};

/** The proof or bundle as it is; what is wrong with it is for the check to say. */
export const readProofFile = (path: string): Promise<Uint8Array> => readUpTo(path, MAX_PROOF_BYTES);

/**
 * Read as strictly as a proof.
 * @param policy file whose policy stands for that of the trust file: the checker's own choice of witnesses
 * @throws VerifyInputError
 */
export async function readTrust(path: string, policy?: string): Promise<ProofTrust> {
  const read = readTrustFile(await readUpTo(path, MAX_TRUST_BYTES + 1));
  if ('value' in read && policy !== undefined)
    return { ...read.value, policy: await readPolicy(policy, read.value) };
  if ('value' in read) return read.value;
  throw new VerifyInputError(
    `${path} is no trust file: {"origin", "publicKey", "vkey", "network", "genesisTxid", "policy"} (${read.problem}${at(read.member)})`,
  );
}

/** A policy of witnesses (C2SP tlog-policy) for the log of the trust file. @throws VerifyInputError */
async function readPolicy(path: string, trust: ProofTrust): Promise<string> {
  const bytes = await readUpTo(path, POLICY_LIMITS.bytes + 1);
  const text = Buffer.from(bytes).toString('utf8');
  if (!equalBytes(utf8(text), bytes)) throw new VerifyInputError(`${path} is not UTF-8`);
  const read = parsePolicy(text);
  if ('problem' in read)
    throw new VerifyInputError(`${path}${read.line === 0 ? '' : `:${read.line}`} ${read.problem}`);
  if (!isPolicyOf(read.policy, trust.origin, fromHex(trust.publicKey)))
    throw new VerifyInputError(`${path} has log lines, and none is of the log of the trust file`);
  return formatPolicy(read.policy);
}

/** A signed note; what is wrong with it is for the check to say. */
export async function readNote(path: string): Promise<string> {
  return Buffer.from(await readUpTo(path, 4 * MAX_CHECKPOINT_LENGTH)).toString('utf8');
}

/** @throws VerifyInputError */
export async function readConsistency(path: string): Promise<Consistency> {
  const bytes = await readUpTo(path, CONSISTENCY_LIMITS.documentBytes + 1);
  const read = readStrictJson(bytes, ConsistencySchema, CONSISTENCY_LIMITS);
  if ('value' in read) return read.value;
  throw new VerifyInputError(`${path} is no consistency proof (${read.problem}${at(read.member)})`);
}

/** Every seal, checked: signatures too. @throws VerifyInputError with the code of the first that is wrong */
export async function readSeals(path: string, trust: ProofTrust): Promise<SealChain> {
  const { genesisTxid, network } = trust;
  const logId = logIdOf(fromHex(trust.publicKey));
  // The ledger's library takes longer to load than a proof to check; seals alone need it.
  const { verifySpend } = await import('@sentinel-node/contracts/ledger-spend');
  const chain = new SealChain({ logId, network, genesisTxid }, verifySpend);
  let isFirst = true;
  for await (const line of linesOf(path, SEAL_LIMITS.documentBytes)) {
    const problem = isFirst ? chain.begin(line) : chain.add(line);
    isFirst = false;
    if (problem === undefined) continue;
    const place = problem.batch === undefined ? 'the first line' : `batch ${problem.batch}`;
    throw new VerifyInputError(`the seals in ${path} fail at ${place}: ${problem.code}: ${problem.text}`);
  }
  if (isFirst) throw new VerifyInputError(`${path} holds no seals`);
  return chain;
}

const at = (member: string | undefined): string =>
  member === undefined || member === '' ? '' : ` at ${member}`;

/**
 * @param after `HEIGHT:HASH:BITS` of the block before the first header; undefined: the block that this software knows.
 * @throws VerifyInputError
 */
export async function readHeaders(
  path: string,
  after: string | undefined,
  network: string,
): Promise<HeaderChain> {
  const known = after === undefined ? shippedBlock(network) : knownBlock(after);
  const chain = checkHeaders(await readUpTo(path, MAX_HEADERS_BYTES), known, network);
  if (!('problem' in chain)) return chain;
  const { height, problem } = chain;
  const at = height === undefined ? '' : ` at height ${height}`;
  throw new VerifyInputError(`the headers in ${path} ${PROBLEMS[problem]} (${problem}${at})`);
}

function knownBlock(after: string): HeaderCheckpoint {
  const match = /^(\d{1,10}):([0-9a-f]{64})(?::([0-9a-f]{8}))?$/.exec(after);
  if (match === null)
    throw new VerifyInputError('--after takes HEIGHT:HASH or HEIGHT:HASH:BITS, the bits as 8 hex digits');
  const [, height = '', hash = '', bits] = match;
  return { height: Number(height), hash, ...(bits !== undefined && { bits: Number.parseInt(bits, 16) }) };
}

function shippedBlock(network: string): HeaderCheckpoint {
  const known = knownBlockOf(network);
  if (known !== undefined) return known;
  throw new VerifyInputError(`no block of the network ${network} is known: --headers needs --after`);
}
