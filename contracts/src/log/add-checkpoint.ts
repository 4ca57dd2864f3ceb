/** Request of a log to a witness: C2SP tlog-witness, `add-checkpoint`. */
import { decodedBase64, toBase64 } from '../bytes/bytes.ts';
import { MAX_CHECKPOINT_LENGTH } from './checkpoint.ts';

/** Path below the witness's submission prefix. */
export const ADD_CHECKPOINT_PATH = '/add-checkpoint';
/** Content type of the 409 response, whose body is the size of the witness's last checkpoint. */
export const WITNESS_SIZE_TYPE = 'text/x.tlog.size';
const MAX_HASHES = 63;
const HASH_BYTES = 32;
/** Limit of a request in bytes: the longest note, at most 4 bytes a character, and the longest proof. */
export const MAX_ADD_CHECKPOINT_BYTES = 4 * MAX_CHECKPOINT_LENGTH + 4_096;

export interface AddCheckpoint {
  /** Size of the checkpoint that the witness cosigned last; 0 when it cosigned none. */
  readonly oldSize: number;
  /** Consistency proof (RFC 6962 section 2.1.2) from `oldSize` to the checkpoint. */
  readonly path: readonly Uint8Array[];
  /** Signed note. */
  readonly checkpoint: string;
}

/** Returns the body of a request. @throws RangeError for an invalid size or a path that is too long */
export function encodeAddCheckpoint({ oldSize, path, checkpoint }: AddCheckpoint): string {
  if (!Number.isSafeInteger(oldSize) || oldSize < 0) throw new RangeError('not a tree size');
  if (path.length > MAX_HASHES) throw new RangeError(`a proof has at most ${MAX_HASHES} hashes`);
  return `${[`old ${oldSize}`, ...path.map(toBase64)].join('\n')}\n\n${checkpoint}`;
}

/** Parses the body of a request without reading the note. Returns undefined when the body is malformed. */
export function parseAddCheckpoint(body: string): AddCheckpoint | undefined {
  const end = body.indexOf('\n\n');
  if (end < 0) return undefined;
  const [old = '', ...hashes] = body.slice(0, end).split('\n');
  const oldSize = parseTreeSize(/^old (.*)$/.exec(old)?.[1] ?? '');
  if (oldSize === undefined || hashes.length > MAX_HASHES) return undefined;
  const path = hashes.map(decodedHash);
  if (!path.every((hash) => hash !== undefined)) return undefined;
  return { oldSize, path, checkpoint: body.slice(end + 2) };
}

/** Parses a decimal number without leading zeros, at most 2^53 − 1. Returns undefined for other text. */
export function parseTreeSize(text: string): number | undefined {
  if (!/^(0|[1-9]\d{0,15})$/.test(text)) return undefined;
  return Number.isSafeInteger(Number(text)) ? Number(text) : undefined;
}

function decodedHash(base64: string): Uint8Array | undefined {
  const hash = decodedBase64(base64);
  return hash?.length === HASH_BYTES ? hash : undefined;
}
