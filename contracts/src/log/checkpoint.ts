/** Checkpoints of the log: C2SP tlog-checkpoint inside a C2SP signed note with an Ed25519 signature. */
import { sha256 } from '#sha256';
import { concatBytes, decodedBase64, equalBytes, toBase64, toHex, utf8 } from '../bytes/bytes.ts';

export interface Checkpoint {
  readonly origin: string;
  /** Number of batches. */
  readonly size: number;
  /** Log root of that many batches, 32 bytes. */
  readonly root: Uint8Array;
}

export interface NoteSignature {
  readonly name: string;
  /** 4 bytes. */
  readonly keyId: Uint8Array;
  readonly signature: Uint8Array;
}

export interface SignedCheckpoint extends Checkpoint {
  /** Signed text: the note up to and including the newline before the blank line. */
  readonly text: string;
  readonly signatures: readonly NoteSignature[];
}

/** Limit of a note in UTF-16 units; longer notes are refused before parsing. */
export const MAX_CHECKPOINT_LENGTH = 16_384;
const LOG_DOMAIN = utf8('sentinel/log/v1\0');
const ED25519 = 0x01;
/** Names are those of C2SP signed-note: no white space of Unicode, no plus sign. */
const SIGNATURE_LINE = /^— ([^\p{White_Space}+]+) ([A-Za-z0-9+/=]+)$/u;

/** H("sentinel/log/v1\0" ‖ Ed25519 public key). @throws RangeError unless the key has 32 bytes */
export function logIdOf(publicKey: Uint8Array): Uint8Array {
  if (publicKey.length !== 32) throw new RangeError('an Ed25519 public key has 32 bytes');
  return sha256(concatBytes(LOG_DOMAIN, publicKey));
}

/** `sentinel-node/` and the first 16 hex digits of the log id. */
export function defaultLogOrigin(logId: Uint8Array): string {
  return `sentinel-node/${toHex(logId).slice(0, 16)}`;
}

/** Whether `origin` can name a log: not empty, no blank, no plus sign (C2SP signed-note), at most 256 characters. */
export function isLogOrigin(origin: string): boolean {
  return /^[^\s+\p{Cc}\p{Cs}]{1,256}$/u.test(origin);
}

/** Returns three lines: origin, number of batches, base 64 of the root. @throws RangeError on an invalid field */
export function checkpointText(checkpoint: Checkpoint): string {
  if (!isLogOrigin(checkpoint.origin)) throw new RangeError('not a log origin');
  if (!Number.isSafeInteger(checkpoint.size) || checkpoint.size < 0) throw new RangeError('not a tree size');
  if (checkpoint.root.length !== 32) throw new RangeError('a root has 32 bytes');
  return `${checkpoint.origin}\n${checkpoint.size}\n${toBase64(checkpoint.root)}\n`;
}

/** First 4 bytes of H(name ‖ "\n" ‖ type ‖ public key). @param type of signatures (C2SP signed-note); 01: Ed25519 */
export function noteKeyId(name: string, publicKey: Uint8Array, type = ED25519): Uint8Array {
  return sha256(concatBytes(utf8(`${name}\n`), Uint8Array.of(type), publicKey)).slice(0, 4);
}

/** Returns the C2SP verifier key: name + key id + base 64 of type ‖ public key. */
export function noteVerifierKey(name: string, publicKey: Uint8Array, type = ED25519): string {
  const key = toBase64(concatBytes(Uint8Array.of(type), publicKey));
  return `${name}+${toHex(noteKeyId(name, publicKey, type))}+${key}`;
}

/**
 * Returns the signed note. The key's name is the origin.
 * @param sign Ed25519 (RFC 8032) over the message, 64 bytes
 */
export function signCheckpoint(
  checkpoint: Checkpoint,
  publicKey: Uint8Array,
  sign: (message: Uint8Array) => Uint8Array,
): string {
  const text = checkpointText(checkpoint);
  const signature = concatBytes(noteKeyId(checkpoint.origin, publicKey), sign(utf8(text)));
  return `${text}\n— ${checkpoint.origin} ${toBase64(signature)}\n`;
}

/** Parses a signed checkpoint without checking signatures; undefined for other notes. `text` has the extension lines. */
export function parseCheckpoint(note: string): SignedCheckpoint | undefined {
  if (note.length > MAX_CHECKPOINT_LENGTH) return undefined;
  const end = note.lastIndexOf('\n\n');
  if (end < 0 || !note.endsWith('\n') || end + 2 === note.length) return undefined;
  const text = note.slice(0, end + 1);
  const [origin = '', size = '', root = ''] = text.split('\n');
  const rootBytes = decodedBase64(root);
  if (!isLogOrigin(origin) || !/^(0|[1-9][0-9]*)$/.test(size) || rootBytes?.length !== 32) return undefined;
  if (!Number.isSafeInteger(Number(size))) return undefined;
  const signatures = note
    .slice(end + 2, -1)
    .split('\n')
    .map(parseSignatureLine);
  if (!signatures.every((signature) => signature !== undefined)) return undefined;
  return { origin, size: Number(size), root: rootBytes, text, signatures };
}

/**
 * Returns the checkpoint when `note` is a checkpoint of the log `origin` with exactly one signature by `publicKey`;
 * otherwise undefined. Signatures of other keys (witnesses) are ignored.
 * @param verify Ed25519 (RFC 8032) over the message; may be asynchronous (WebCrypto)
 */
export async function verifyCheckpoint(
  note: string,
  origin: string,
  publicKey: Uint8Array,
  verify: (message: Uint8Array, signature: Uint8Array, publicKey: Uint8Array) => boolean | Promise<boolean>,
): Promise<SignedCheckpoint | undefined> {
  const checkpoint = parseCheckpoint(note);
  if (checkpoint === undefined || checkpoint.origin !== origin) return undefined;
  const keyId = noteKeyId(origin, publicKey);
  const own = checkpoint.signatures.filter(({ name, keyId: id }) => name === origin && equalBytes(id, keyId));
  const [only] = own;
  if (only === undefined || own.length > 1) return undefined;
  return (await verify(utf8(checkpoint.text), only.signature, publicKey)) ? checkpoint : undefined;
}

function parseSignatureLine(line: string): NoteSignature | undefined {
  const [, name, encoded = ''] = SIGNATURE_LINE.exec(line) ?? [];
  const bytes = decodedBase64(encoded);
  if (name === undefined || bytes === undefined || bytes.length < 5) return undefined;
  return { name, keyId: bytes.slice(0, 4), signature: bytes.slice(4) };
}
