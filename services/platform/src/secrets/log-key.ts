import { createPrivateKey, createPublicKey, sign } from 'node:crypto';
import { logIdOf, toHex } from '@sentinel-node/contracts';
import { PortError } from '../ports/errors.ts';
import { collectionOf, type DocumentStore } from '../ports/document-store.ts';
import { PURPOSES, purposeKey } from './purpose-keys.ts';

/** The Ed25519 key of the transparency log. */
export interface LogKey {
  /** 32 bytes. */
  readonly publicKey: Uint8Array;
  /** H("sentinel/log/v1\0" ‖ public key), 32 bytes. */
  readonly logId: Uint8Array;
  /** RFC 8032, 64 bytes. */
  sign(message: Uint8Array): Uint8Array;
}

/** Facts that are recorded once for a deployment. */
export const DEPLOYMENT_COLLECTION = {
  name: collectionOf<DeploymentDocument>('deployment'),
  indexes: [],
} as const;
interface DeploymentDocument {
  readonly id: string;
  /** Public key of the log, in hex. */
  readonly publicKey?: string;
  readonly logId?: string;
  /** See `stores/data-form.ts`. */
  readonly form?: number;
}
const LOG_KEY_DOCUMENT = 'log-key';
/** PKCS #8 around a raw Ed25519 seed (RFC 8410 section 7). */
const PKCS8_PREFIX = Buffer.from('302e020100300506032b657004220420', 'hex');

/** The master secret differs from that of the first boot, so that new signatures would not match the anchored data. */
export class LogKeyChangedError extends PortError {
  constructor(recorded: string, derived: string) {
    super(
      'LOG_KEY_CHANGED',
      `the master secret gives the log key ${derived.slice(0, 16)}…, but this store was made with ${recorded.slice(0, 16)}…; start with the master secret that it was made with`,
    );
  }
}

export function logKeyOf(masterSecret: string): LogKey {
  const seed = purposeKey(masterSecret, PURPOSES.logKey);
  const privateKey = createPrivateKey({
    key: Buffer.concat([PKCS8_PREFIX, seed]),
    format: 'der',
    type: 'pkcs8',
  });
  const { x } = createPublicKey(privateKey).export({ format: 'jwk' });
  const publicKey = new Uint8Array(Buffer.from(x ?? '', 'base64url'));
  return {
    publicKey,
    logId: logIdOf(publicKey),
    sign: (message) => new Uint8Array(sign(null, message, privateKey)),
  };
}

/** Returns what the first boot records of the key. */
export function deploymentOf({
  logId,
  publicKey,
}: Pick<LogKey, 'logId' | 'publicKey'>): Required<Omit<DeploymentDocument, 'form'>> {
  return { id: LOG_KEY_DOCUMENT, publicKey: toHex(publicKey), logId: toHex(logId) };
}

export async function isLogKeyRecorded(store: DocumentStore): Promise<boolean> {
  await store.ensure([DEPLOYMENT_COLLECTION]);
  return (await store.get(DEPLOYMENT_COLLECTION.name, LOG_KEY_DOCUMENT)) !== undefined;
}

/** Returns the public key (hex) that the first boot recorded; undefined before the first boot. */
export async function recordedLogKey(documents: Pick<DocumentStore, 'get'>): Promise<string | undefined> {
  return (await documents.get(DEPLOYMENT_COLLECTION.name, LOG_KEY_DOCUMENT))?.publicKey;
}

/** Compares a recorded public key (hex) with the log's. @throws LogKeyChangedError */
export function compareLogKey(recorded: string | undefined, { publicKey }: LogKey): void {
  const derived = toHex(publicKey);
  if (recorded !== derived) throw new LogKeyChangedError(String(recorded), derived);
}

/** Records the public key at the first boot, and compares it at each later boot. @throws LogKeyChangedError */
export async function confirmLogKey(store: DocumentStore, key: LogKey): Promise<void> {
  await store.ensure([DEPLOYMENT_COLLECTION]);
  await store.insertMissing(DEPLOYMENT_COLLECTION.name, [deploymentOf(key)]);
  compareLogKey(await recordedLogKey(store), key);
}
