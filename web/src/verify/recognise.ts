/** Recognises the kind of a dropped file. This only sorts files: the check reads each kind strictly. */
import {
  BLOCK_HEADER_BYTES,
  BUNDLE_FORMAT,
  BUNDLE_LIMITS,
  claimedFormat,
  CONSISTENCY_FORMAT,
  equalBytes,
  parseBlockHeader,
  PROOF_FORMAT,
  RECEIPT_FORMAT,
  SEALS_FORMAT,
} from '@sentinel-node/contracts';
import type { FileKind } from './inputs.ts';
import { readUpTo } from './read-file.ts';

const HEAD_BYTES = 16_384;
const FORMATS: Readonly<Record<string, FileKind>> = {
  [PROOF_FORMAT]: 'proofs',
  [BUNDLE_FORMAT]: 'proofs',
  [RECEIPT_FORMAT]: 'receipt',
  [SEALS_FORMAT]: 'seals',
  [CONSISTENCY_FORMAT]: 'consistency',
};

/**
 * Returns a file's kind; undefined for no known kind, such as the watched file.
 * @throws VerifyInputError when the file cannot be read
 */
export async function recogniseFile(file: File): Promise<FileKind | undefined> {
  const head = await readUpTo(file, HEAD_BYTES);
  if (areHeaders(head, file.size)) return 'headers';
  const text = new TextDecoder().decode(head);
  if (text.trimStart().startsWith('{')) {
    // Other programs sort members by their names, so that a bundle begins with its batches.
    const format = claimedFormat(await readUpTo(file, BUNDLE_LIMITS.documentBytes));
    if (format !== undefined) return Object.hasOwn(FORMATS, format) ? FORMATS[format] : undefined;
    return /"genesisTxid"\s*:/.test(text) ? 'trust' : undefined;
  }
  if (/\n\n— \S+ [A-Za-z0-9+/=]+\n/.test(text)) return 'checkpoint';
  return /^(log|witness|group|quorum)[ \t]/m.test(text) && isPolicy(text) ? 'policy' : undefined;
}

/** Returns whether a text is a policy: each line is empty, a comment, or begins with a keyword. */
const isPolicy = (text: string): boolean =>
  text.split('\n').every((line) => /^\s*(#.*|(log|witness|group|quorum)[ \t].*)?$/.test(line));

/**
 * Returns whether bytes are block headers: the second header names the first; the length identifies a single header.
 */
function areHeaders(head: Uint8Array, size: number): boolean {
  if (size === 0 || size % BLOCK_HEADER_BYTES !== 0) return false;
  const [first, second] = [0, 1].map((at) =>
    parseBlockHeader(head.slice(at * BLOCK_HEADER_BYTES, (at + 1) * BLOCK_HEADER_BYTES)),
  );
  if (first === undefined) return false;
  return second === undefined ? isBinary(head) : equalBytes(second.previous, first.hash);
}

const isBinary = (bytes: Uint8Array): boolean => bytes.includes(0);
