/** Verifier keys of signed notes (C2SP signed-note, "vkey"). */
import { decodedBase64 } from '../bytes/bytes.ts';
import { isLogOrigin, noteKeyId, noteVerifierKey } from './checkpoint.ts';

/** Signature types (C2SP signed-note) of logs and of cosigners. */
export const NOTE_KEY_TYPES = { ED25519: 0x01, COSIGNATURE: 0x04 } as const;
export type NoteKeyType = (typeof NOTE_KEY_TYPES)[keyof typeof NOTE_KEY_TYPES];

export interface VerifierKey {
  readonly name: string;
  readonly type: NoteKeyType;
  /** Ed25519, 32 bytes. */
  readonly publicKey: Uint8Array;
}

const VKEY = /^([^+]+)\+([0-9a-f]{8})\+([A-Za-z0-9+/]+={0,2})$/;
const ED25519_BYTES = 32;

export function verifierKeyId({ name, type, publicKey }: VerifierKey): Uint8Array {
  return noteKeyId(name, publicKey, type);
}

export function formatVerifierKey({ name, type, publicKey }: VerifierKey): string {
  return noteVerifierKey(name, publicKey, type);
}

/** Parses a 32-byte key of a known type, spelled as by `formatVerifierKey`. Returns undefined for other texts. */
export function parseVerifierKey(vkey: string): VerifierKey | undefined {
  const [, name = '', , encoded = ''] = VKEY.exec(vkey) ?? [];
  const material = decodedBase64(encoded);
  if (!isLogOrigin(name) || material?.length !== 1 + ED25519_BYTES) return undefined;
  const type = Object.values(NOTE_KEY_TYPES).find((one) => one === material[0]);
  if (type === undefined) return undefined;
  const key = { name, type, publicKey: material.slice(1) };
  return formatVerifierKey(key) === vkey ? key : undefined;
}
