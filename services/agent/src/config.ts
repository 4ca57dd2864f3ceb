import { readFile } from 'node:fs/promises';
import { codeOf } from '@sentinel-node/contracts/thrown';
import { AgentConfigurationSchema, type AgentConfiguration } from '@sentinel-node/contracts';
import { Compile } from 'typebox/compile';
import { AGENT, type StateStore } from './state/store.ts';

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

interface Kept {
  /** configVersion of the server; null: the server told none. */
  readonly version: number | null;
  readonly configuration: AgentConfiguration;
}

/**
 * Keeps what the server sent, so that a rotated key is known after a restart when the old one no longer works. An older
 * version never takes the place of a newer one of the same device. @throws Error the state cannot be written now
 */
export async function keepConfiguration(
  store: StateStore,
  configuration: AgentConfiguration,
  version: number | undefined,
): Promise<void> {
  const before = keptConfiguration(store);
  const newer =
    before?.configuration.devId === configuration.devId && (before.version ?? -1) > (version ?? Infinity);
  if (newer) return;
  const text = JSON.stringify({ version: version ?? null, configuration } satisfies Kept);
  await store.commit(AGENT, [{ do: 'put', part: 'configuration', number: 0, text }]);
}

/** undefined: nothing is kept, or what is kept is not whole. */
function keptConfiguration(store: StateStore): Kept | undefined {
  const text = store.text(AGENT, 'configuration', 0);
  if (text === undefined) return undefined;
  const value: Partial<Kept> | null = JSON.parse(text);
  const configuration = value?.configuration ?? value; // an older agent kept the configuration alone
  return validator.Check(configuration) ? { version: value?.version ?? null, configuration } : undefined;
}

/**
 * What the server sent last, when that is of the same device, else the downloaded configuration. The server's answers
 * carry a version and a downloaded file does not; a downloaded file with another key is tried as soon as the server
 * refuses the key of this one. @throws Error the state cannot be read now
 */
export function newestConfiguration(store: StateStore, downloaded: AgentConfiguration): AgentConfiguration {
  const kept = keptConfiguration(store);
  return kept?.configuration.devId === downloaded.devId ? kept.configuration : downloaded;
}
