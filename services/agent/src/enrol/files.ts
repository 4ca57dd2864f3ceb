/** Files of an enrolment: first the key, then the configuration in its place. */
import { randomBytes } from 'node:crypto';
import { link, mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '@sentinel-node/contracts/thrown';
import type { AgentConfiguration } from '@sentinel-node/contracts';
import { AgentConfigError } from '../config-error.ts';
import { removed, writeNew, writeWhole } from '../io/sealed.ts';

const KEY_BYTES = 24;
const KEY_FORM = /^[\w-]{22,64}$/;
const FOLDER_MODE = 0o700;

const keyFile = (configFile: string): string => `${configFile}.enrolling`;

export async function fileExists(file: string): Promise<boolean> {
  try {
    await stat(file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return false;
    throw error;
  }
}

/**
 * Returns the enrolment key of this configuration, saved before its first use: the same one for all processes that enrol at
 * once, so that they get the same device. Undefined when another process has enrolled meanwhile.
 * @throws AgentConfigError; Error of node:fs
 */
export async function enrolmentKey(configFile: string): Promise<string | undefined> {
  await mkdir(dirname(configFile), { recursive: true, mode: FOLDER_MODE });
  const file = keyFile(configFile);
  const kept = await keyIn(file);
  if (kept !== undefined) return kept;
  const key = randomBytes(KEY_BYTES).toString('base64url');
  if (!(await saveNew(file, `${key}\n`))) return await enrolmentKey(configFile);
  // The other one writes the configuration before it removes its key.
  if (!(await fileExists(configFile))) return key;
  await rm(file, { force: true });
  return undefined;
}

/** Returns the kept key; undefined without one. */
async function keyIn(file: string): Promise<string | undefined> {
  try {
    const kept = (await readFile(file, 'utf8')).trim();
    if (KEY_FORM.test(kept)) return kept;
  } catch (error) {
    if (codeOf(error) === 'ENOENT') return undefined;
    throw error;
  }
  throw new AgentConfigError(`${file} is broken: remove it; if a device was made with it, delete that`);
}

/** Writes a file that is not there yet. @returns false when it is there, which leaves it as it is */
async function saveNew(file: string, text: string): Promise<boolean> {
  const part = partOf(file);
  try {
    await writeNew(part, text);
    await link(part, file);
    return true;
  } catch (error) {
    if (codeOf(error) === 'EEXIST') return false;
    throw error;
  } finally {
    await removed(part);
  }
}

/** Returns a name that nobody else writes to. */
const partOf = (file: string): string => `${file}.${randomBytes(6).toString('hex')}.part`;

/**
 * Writes the configuration and removes the key.
 * @throws Error of node:fs; the key remains, so that enrolling can be repeated
 */
export async function keepEnrolled(configFile: string, configuration: AgentConfiguration): Promise<void> {
  await writeWhole(configFile, `${JSON.stringify(configuration, null, 2)}\n`, {
    part: partOf(configFile),
  });
  await rm(keyFile(configFile), { force: true });
}
