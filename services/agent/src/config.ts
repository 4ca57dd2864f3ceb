import { readFile, rename } from 'node:fs/promises';
import { join } from 'node:path';
import { codeOf } from '@sentinel-node/contracts/thrown';
import { AgentConfigurationSchema, type AgentConfiguration } from '@sentinel-node/contracts';
import { Compile } from 'typebox/compile';
import { seal, unsealParts, writeWhole } from './io/sealed.ts';

const validator = Compile(AgentConfigurationSchema);

/** The agent cannot start with what it was given; the message says what to do, in one line. */
export class AgentConfigError extends Error {
  readonly code = 'AGENT_CONFIG';
}

/** Why a file that a person named cannot be read. */
export const cannotRead = (file: string, error: unknown): string =>
  `${file} cannot be read: ${codeOf(error) ?? 'unknown error'}`;

/** Checks an exported configuration. @throws AgentConfigError */
export function checkConfiguration(value: unknown, source: string): AgentConfiguration {
  if (validator.Check(value)) return value;
  const [first] = validator.Errors(value);
  const where = first?.instancePath === '' ? 'the document' : (first?.instancePath ?? 'the document');
  throw new AgentConfigError(
    `${source} is not an exported agent configuration: ${where} ${first?.message ?? ''}`,
  );
}

/** Reads the file that the console downloads. @throws AgentConfigError */
export async function readConfiguration(file: string): Promise<AgentConfiguration> {
  let text: string;
  try {
    text = await readFile(file, 'utf8');
  } catch (error) {
    throw new AgentConfigError(cannotRead(file, error));
  }
  try {
    return checkConfiguration(JSON.parse(text), file);
  } catch (error) {
    if (error instanceof AgentConfigError) throw error;
    throw new AgentConfigError(`${file} is not JSON; download the configuration again`);
  }
}

const keptFile = (stateDir: string): string => join(stateDir, 'configuration.json');

interface Kept {
  /** configVersion of the server; null: the server told none. */
  readonly version: number | null;
  readonly configuration: AgentConfiguration;
}

/**
 * Keeps what the server sent, so that a rotated key is known after a restart when the old one no longer works. An older
 * version never takes the place of a newer one of the same device. @throws Error of node:fs
 */
export async function keepConfiguration(
  stateDir: string,
  configuration: AgentConfiguration,
  version: number | undefined,
): Promise<void> {
  const before = await keptConfiguration(stateDir);
  const newer =
    before?.configuration.devId === configuration.devId && (before.version ?? -1) > (version ?? Infinity);
  if (newer) return;
  await writeWhole(keptFile(stateDir), seal({ version: version ?? null, configuration }));
}

/** undefined: nothing is kept, or what is kept is broken and was set aside. */
async function keptConfiguration(stateDir: string): Promise<Kept | undefined> {
  const text = await readFile(keptFile(stateDir), 'utf8').catch(() => undefined);
  if (text === undefined) return undefined;
  const value = unsealParts<Kept>(text);
  const configuration = value?.configuration ?? value; // an older agent kept the configuration alone
  if (validator.Check(configuration)) return { version: value?.version ?? null, configuration };
  await rename(keptFile(stateDir), `${keptFile(stateDir)}.broken`).catch(() => undefined);
  return undefined;
}

/**
 * What the server sent last, when that is of the same device, else the downloaded configuration. The server's answers
 * carry a version and a downloaded file does not; a downloaded file with another key is tried as soon as the server
 * refuses the key of this one. @throws AgentConfigError
 */
export async function newestConfiguration(file: string, stateDir: string): Promise<AgentConfiguration> {
  const downloaded = await readConfiguration(file);
  const kept = await keptConfiguration(stateDir);
  return kept?.configuration.devId === downloaded.devId ? kept.configuration : downloaded;
}
