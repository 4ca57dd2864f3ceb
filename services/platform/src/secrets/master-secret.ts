import { randomBytes } from 'node:crypto';
import { link, mkdir, open, readFile, unlink } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '@sentinel-node/contracts/thrown';
import { ConfigError } from '../config/config-error.ts';

/** The shortest master secret, in characters. */
export const MASTER_SECRET_MIN_LENGTH = 32;
const FILE_NAME = 'master-secret';
const SECRET_BYTES = 32;

/**
 * Returns the configured master secret, else the secret in the data folder, which the first call creates (mode 0600).
 * @param isFresh whether the folder holds nothing that was made with a secret yet; else none is created
 * @throws ConfigError when the stored secret is gone, or too short to be complete
 * @throws Error of node:fs (EACCES, ENOSPC, …)
 */
export async function loadMasterSecret(
  configured: string | undefined,
  dataDir: string,
  isFresh = true,
): Promise<string> {
  if (configured !== undefined) return configured;
  const path = join(dataDir, FILE_NAME);
  const found = await readIfThere(path);
  if (found === undefined && !isFresh) {
    const message = `is not set. The data folder ${dataDir} was used before, and its file master-secret is gone: put it back, or give SENTINEL_SECRET as before`;
    throw new ConfigError([{ variable: 'SENTINEL_SECRET', message }]);
  }
  const secret = found ?? (await make(dataDir, path));
  if (secret.length < MASTER_SECRET_MIN_LENGTH) {
    const message = `the file ${path} has fewer than ${MASTER_SECRET_MIN_LENGTH} characters; restore it from a backup, or give the secret in this variable`;
    throw new ConfigError([{ variable: 'SENTINEL_SECRET', message }]);
  }
  return secret;
}

/** Returns the configured master secret, else the one in the data folder; undefined when there is none. Makes none. */
export async function knownMasterSecret(
  configured: string | undefined,
  dataDir: string,
): Promise<string | undefined> {
  return configured ?? (await readIfThere(join(dataDir, FILE_NAME)));
}

async function readIfThere(path: string): Promise<string | undefined> {
  try {
    return (await readFile(path, 'utf8')).trim();
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
}

/**
 * Writes the secret completely or not at all: to another file, flushed, then linked. The link fails if another process
 * was first.
 */
async function make(dataDir: string, path: string): Promise<string> {
  await mkdir(dataDir, { recursive: true });
  const secret = randomBytes(SECRET_BYTES).toString('base64url');
  const beside = `${path}.${randomBytes(6).toString('hex')}`;
  await writeFlushed(beside, `${secret}\n`);
  try {
    await link(beside, path);
  } catch (error) {
    if (codeOf(error) !== 'EEXIST') throw error;
  } finally {
    await unlink(beside);
  }
  await flushFolder(dataDir);
  return (await readFile(path, 'utf8')).trim();
}

async function writeFlushed(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(text);
    await file.sync();
  } finally {
    await file.close();
  }
}

async function flushFolder(folder: string): Promise<void> {
  const handle = await open(folder, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}
