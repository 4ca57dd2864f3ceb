/** Cosignatures of checkpoints: C2SP tlog-cosignature, `cosignature/v1` (Ed25519 with the time). */
import { concatBytes, equalBytes, toBase64, utf8 } from '../bytes/bytes.ts';
import {
  MAX_CHECKPOINT_LENGTH,
  parseCheckpoint,
  type NoteSignature,
  type SignedCheckpoint,
} from './checkpoint.ts';
import type { SignatureCheck } from './signature-check.ts';
import { verifierKeyId, type NOTE_KEY_TYPES, type VerifierKey } from './verifier-key.ts';

/** Verifier key of type `COSIGNATURE`. */
export interface Cosigner extends VerifierKey {
  readonly type: typeof NOTE_KEY_TYPES.COSIGNATURE;
}

export interface Cosignature {
  /** Time at which the cosigner knew no larger checkpoint of the log; seconds since 1970. */
  readonly time: number;
  /** The signature line of the note, with its LF. */
  readonly line: string;
}

const TIME_BYTES = 8;
const SIGNATURE_BYTES = 64;

/** Returns the signed message: a line with the format, one with the time, and the checkpoint text with extensions. */
export function cosignedMessage(text: string, time: number): Uint8Array {
  return utf8(`cosignature/v1\ntime ${time}\n${text}`);
}

/**
 * Returns the cosignature of a checkpoint.
 * @param text of the checkpoint, up to and with the LF before the empty line
 * @param time seconds since 1970
 * @param sign Ed25519 (RFC 8032) over the message, 64 bytes
 * @throws RangeError when the time is not a positive safe integer: 0 stands for a missing time
 */
export function cosign(
  text: string,
  cosigner: Cosigner,
  time: number,
  sign: (message: Uint8Array) => Uint8Array,
): Cosignature {
  if (!Number.isSafeInteger(time) || time <= 0) throw new RangeError('not a time in seconds');
  const seconds = new Uint8Array(TIME_BYTES);
  new DataView(seconds.buffer).setBigUint64(0, BigInt(time));
  const bytes = concatBytes(verifierKeyId(cosigner), seconds, sign(cosignedMessage(text, time)));
  return { time, line: `— ${cosigner.name} ${toBase64(bytes)}\n` };
}

/** `INVALID`: a line with the cosigner's name and key id that its key did not sign. */
export type CosignatureCheck = Cosignature | 'ABSENT' | 'INVALID';

/** The cosigner's newest cosignature among the lines of the note. One invalid line makes the result `INVALID`. */
export async function checkCosignature(
  checkpoint: Pick<SignedCheckpoint, 'text' | 'signatures'>,
  cosigner: Cosigner,
  verify: SignatureCheck,
): Promise<CosignatureCheck> {
  const found = await checkCosignatures(checkpoint, cosigner, verify);
  return found === 'INVALID' ? found : (newestOf(found) ?? 'ABSENT');
}

/** All cosignatures of the cosigner among the lines of the note. One invalid line makes the result `INVALID`. */
export async function checkCosignatures(
  checkpoint: Pick<SignedCheckpoint, 'text' | 'signatures'>,
  cosigner: Cosigner,
  verify: SignatureCheck,
): Promise<readonly Cosignature[] | 'INVALID'> {
  const keyId = verifierKeyId(cosigner);
  const all: Cosignature[] = [];
  for (const line of checkpoint.signatures) {
    if (line.name !== cosigner.name || !equalBytes(line.keyId, keyId)) continue;
    const found = await checkLine(checkpoint.text, line, cosigner, verify);
    if (found === undefined) return 'INVALID';
    all.push(found);
  }
  return all;
}

/** Returns the cosignature with the latest time; undefined when there is none. */
export const newestOf = (cosignatures: readonly Cosignature[]): Cosignature | undefined =>
  cosignatures.reduce<Cosignature | undefined>(
    (newest, one) => (newest === undefined || one.time > newest.time ? one : newest),
    undefined,
  );

async function checkLine(
  text: string,
  { name, keyId, signature: bytes }: NoteSignature,
  { publicKey }: Cosigner,
  verify: SignatureCheck,
): Promise<Cosignature | undefined> {
  if (bytes.length !== TIME_BYTES + SIGNATURE_BYTES) return undefined;
  const time = Number(new DataView(bytes.buffer, bytes.byteOffset).getBigUint64(0));
  if (!Number.isSafeInteger(time) || time === 0) return undefined;
  const isSigned = await verify(cosignedMessage(text, time), bytes.slice(TIME_BYTES), publicKey);
  return isSigned ? { time, line: `— ${name} ${toBase64(concatBytes(keyId, bytes))}\n` } : undefined;
}

/** Returns the note with only the log's own signature line. @param checkpoint signed by the log */
export function ownNoteOf(
  { signatures, text }: Pick<SignedCheckpoint, 'text' | 'signatures'>,
  log: VerifierKey,
): string {
  const keyId = verifierKeyId(log);
  const own = signatures.find(({ name, keyId: id }) => name === log.name && equalBytes(id, keyId))!;
  return `${text}\n— ${own.name} ${toBase64(concatBytes(own.keyId, own.signature))}\n`;
}

/**
 * Returns the note with the log's own signature line and the lines that these cosigners signed. Other lines are left out:
 * nobody has checked them, and a wrong line makes a note unusable for whoever knows its cosigner.
 * @param checkpoint signed by the log
 */
export async function checkedNoteOf(
  checkpoint: Pick<SignedCheckpoint, 'text' | 'signatures'>,
  log: VerifierKey,
  cosigners: readonly Cosigner[],
  verify: SignatureCheck,
): Promise<string> {
  const { signatures, text } = checkpoint;
  const lines: string[] = [];
  for (const signature of signatures)
    for (const cosigner of cosigners) {
      const found = await checkCosignatures({ text, signatures: [signature] }, cosigner, verify);
      if (found !== 'INVALID') lines.push(...found.map(({ line }) => line));
    }
  return ownNoteOf(checkpoint, log) + lines.join('');
}

/**
 * Appends signature lines, such as a witness's response, to a note. Returns undefined when the result is too long or not
 * a signed checkpoint of the same text.
 */
export function withSignatures(note: string, lines: string): string | undefined {
  const joined = `${note}${lines}`;
  if (joined.length > MAX_CHECKPOINT_LENGTH) return undefined;
  const before = parseCheckpoint(note);
  const after = parseCheckpoint(joined);
  return before !== undefined && after?.text === before.text ? joined : undefined;
}
