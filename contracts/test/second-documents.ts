/** Compares this software and a second checker in Python on bundles, seals files and headers files. */
import { spawnSync } from 'node:child_process';
import { fileURLToPath } from 'node:url';
import { byteLines } from '../src/bytes/byte-lines.ts';
import { logIdOf } from '../src/log/checkpoint.ts';
import { fromHex, toHex } from '../src/bytes/bytes.ts';
import { sha256 } from '#sha256';
import { verifySpend } from '../src/ledger/ledger-spend.ts';
import { checkBundle } from '../src/proof/check-bundle.ts';
import { checkHeaders, type HeaderCheckpoint } from '../src/proof/headers.ts';
import type { ProofTrust } from '../src/proof/proof.ts';
import type { SpendCheck } from '../src/ledger/seal.ts';
import { SEAL_LIMITS, SealChain } from '../src/ledger/seal-chain.ts';
import { online } from './proof-support.ts';
import { vector } from './support.ts';

/** A document, and the first checker's result in the words of the second. */
export interface Asked {
  readonly what: string;
  readonly question: object;
  readonly said: string;
}

/** Codes of a malformed line of a seals file; docs/formats.md does not distinguish them. */
const FORM_CODES = new Set(['TOO_LARGE', 'NOT_JSON', 'AMBIGUOUS_JSON', 'UNKNOWN_FORM']);
const base64 = (bytes: Uint8Array): string => Buffer.from(bytes).toString('base64');

const recorded = vector<{ checkpoint: HeaderCheckpoint; headers: string; trust: ProofTrust }>('bundle.json');

export async function askBundle(what: string, bytes: Uint8Array): Promise<Asked> {
  const { outcome } = await checkBundle(bytes, recorded.trust, online);
  const question = { kind: 'bundle', data: base64(bytes), trust: recorded.trust };
  return { what, question, said: outcome === 'FAILS' ? '0' : '1' };
}

/** Results by input, so that the scripts of an input run once for all documents. */
const spends = new Map<string, boolean>();
const verifyOnce: SpendCheck = (spend) => {
  const { inputIndex, raw, spent } = spend;
  const key = [toHex(raw), inputIndex, spent.satoshis, toHex(spent.script)].join();
  const isUnlocked = spends.get(key) ?? verifySpend(spend);
  spends.set(key, isUnlocked);
  return isUnlocked;
};

export async function askSeals(what: string, bytes: Uint8Array, trust: ProofTrust): Promise<Asked> {
  const question = { kind: 'seals', data: base64(bytes), trust };
  return { what, question, said: await saidOfSeals(bytes, trust) };
}

async function saidOfSeals(bytes: Uint8Array, trust: ProofTrust): Promise<string> {
  const { genesisTxid, network, publicKey } = trust;
  const chain = new SealChain({ logId: logIdOf(fromHex(publicKey)), network, genesisTxid }, verifyOnce);
  let isFirst = true;
  for await (const line of byteLines(inPieces(bytes), SEAL_LIMITS.documentBytes)) {
    const problem = isFirst ? chain.begin(line) : chain.add(line);
    isFirst = false;
    if (problem === undefined) continue;
    const { batch, code } = problem;
    return [FORM_CODES.has(code) ? 'FORM' : code, ...(batch === undefined ? [] : [batch])].join(' ');
  }
  if (isFirst) return 'EMPTY';
  const parts: Uint8Array[] = [];
  for (let batch = 0; batch < chain.size; batch++) {
    const { hash, headerHash, logRoot } = chain.batch(batch)!;
    parts.push(hash, headerHash, logRoot);
  }
  return `${chain.size} ${toHex(sha256(Buffer.concat(parts)))}`;
}

/** Yields uneven pieces, as a pipe does. */
async function* inPieces(bytes: Uint8Array): AsyncGenerator<Uint8Array> {
  for (let at = 0; at < bytes.length; at += 1_021)
    yield await Promise.resolve(bytes.subarray(at, at + 1_021));
}

export function askHeaders(what: string, bytes: Uint8Array, known: HeaderCheckpoint, network: string): Asked {
  const question = { kind: 'headers', data: base64(bytes), known, network };
  const chain = checkHeaders(bytes, known, network);
  if ('problem' in chain)
    return {
      what,
      question,
      said: [chain.problem, ...(chain.height === undefined ? [] : [chain.height])].join(' '),
    };
  const { tipHeight, tipTime, uncalculated, work } = chain;
  return { what, question, said: [tipHeight, tipTime, work, uncalculated].join(' ') };
}

const SCRIPT = fileURLToPath(new URL('../../test/second_documents.py', import.meta.url));

/** Returns the second checker's result for each document. @throws Error when the program fails */
export function secondSaid(asked: readonly Asked[]): string[] {
  const blocks = { kind: 'blocks', data: base64(fromHex(recorded.headers)), known: recorded.checkpoint };
  const input = [blocks, ...asked.map(({ question }) => question)]
    .map((one) => JSON.stringify(one))
    .join('\n');
  const { stdout, stderr, status } = spawnSync('python3', ['-B', SCRIPT], { input, maxBuffer: 2 ** 26 });
  if (status !== 0) throw new Error(stderr.toString().slice(-2_000));
  return stdout.toString().trimEnd().split('\n');
}

/** Returns `what: said here, said there` for each document on which the two differ. */
export function differences(asked: readonly Asked[]): string[] {
  const second = secondSaid(asked);
  if (second.length !== asked.length) return [`${second.length} answers to ${asked.length} questions`];
  return asked.flatMap(({ said, what }, at) =>
    said === second[at] ? [] : [`${what}: ${said}, the second says ${second[at]}`],
  );
}
