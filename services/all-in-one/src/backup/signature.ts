/**
 * The signature of a backup: the key of the log signs the manifest, which has the SHA-256 of every file. Who may write to the
 * folder of a backup, and has no master secret, could otherwise change lines and compute counts and hashes anew.
 */
import { createHash } from 'node:crypto';
import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { canonicalJson, codeOf, fromHex, toHex, utf8 } from '@sentinel-node/contracts';
import { verifyEd25519, type LogKey } from '@sentinel-node/platform';
import { BackupError } from './errors.ts';
import type { Manifest } from './manifest.ts';

/** Beside the manifest and not in it: earlier versions refuse a manifest with a member that they do not know. */
export const SIGNATURE_FILE = 'manifest.sig';
/** Starts what is signed, so that it is never a checkpoint or receipt. */
const DOMAIN = utf8('sentinel/backup/v1\0');
/** Ed25519 in hex, and a line end. */
const FORM = /^[0-9a-f]{128}\n?$/;

/** Returns the message that is signed: the domain ‖ SHA-256 of the manifest as canonical JSON. */
function messageOf(manifest: Manifest): Uint8Array {
  return Buffer.concat([DOMAIN, createHash('sha256').update(canonicalJson(manifest)).digest()]);
}

export async function writeSignature(folder: string, manifest: Manifest, key: LogKey): Promise<void> {
  await writeFile(join(folder, SIGNATURE_FILE), `${toHex(key.sign(messageOf(manifest)))}\n`, { mode: 0o600 });
}

/**
 * Checks the signature of a manifest. @returns false when there is none: earlier versions wrote none, and anybody may take it away
 * @throws BackupError when it is not the log's signature of this manifest
 */
export async function isSigned(
  folder: string,
  manifest: Manifest,
  { publicKey }: Pick<LogKey, 'publicKey'>,
): Promise<boolean> {
  const path = join(folder, SIGNATURE_FILE);
  let text: string;
  try {
    text = await readFile(path, 'utf8');
  } catch (cause) {
    if (codeOf(cause) === 'ENOENT') return false;
    throw cause;
  }
  if (!FORM.test(text) || !verifyEd25519(messageOf(manifest), fromHex(text.trim()), publicKey))
    throw new BackupError(
      `${path} is not the signature of this manifest by the key of the log: the backup is not as it was written`,
    );
  return true;
}
