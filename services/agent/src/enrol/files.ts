/** Files of an enrolment: first the key, then the configuration in its place. */
import { randomBytes } from 'node:crypto';
import { mkdir, readFile, rm, stat } from 'node:fs/promises';
import { dirname } from 'node:path';
import { codeOf } from '@sentinel-node/contracts/thrown';
import type { AgentConfiguration } from '@sentinel-node/contracts';
import { AgentConfigError } from '../config.ts';
import { writeWhole } from '../io/sealed.ts';

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

/** Returns this agent's enrolment key, saved before its first use. @throws AgentConfigError; Error of node:fs */
export async function enrolmentKey(configFile: string): Promise<string> {
  await mkdir(dirname(configFile), { recursive: true, mode: FOLDER_MODE });
  const file = keyFile(configFile);
  if (await fileExists(file)) {
    const kept = (await readFile(file, 'utf8')).trim();
    if (KEY_FORM.test(kept)) return kept;
    throw new AgentConfigError(`${file} is broken: remove it; if a device was made with it, delete that`);
  }
  const key = randomBytes(KEY_BYTES).toString('base64url');
  await writeWhole(file, `${key}\n`);
  return key;
}

/**
 * Writes the configuration and removes the key.
 * @throws Error of node:fs; the key remains, so that enrolling can be repeated
 */
export async function keepEnrolled(configFile: string, configuration: AgentConfiguration): Promise<void> {
  await writeWhole(configFile, `${JSON.stringify(configuration, null, 2)}\n`);
  await rm(keyFile(configFile), { force: true });
}
