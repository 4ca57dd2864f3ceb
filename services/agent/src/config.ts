import { readFile } from 'node:fs/promises';
import { codeOf } from '@sentinel-node/contracts/thrown';
import { AgentConfigurationSchema, isRecord, type AgentConfiguration } from '@sentinel-node/contracts';
import { compiled } from './compiled.ts';
import { AgentConfigError } from './config-error.ts';
import { parsedJson } from './parsed-json.ts';
import { AGENT, type StateStore } from './state/store.ts';

const validator = compiled(AgentConfigurationSchema);

/** Returns the message for a file that cannot be read. */
export const cannotRead = (file: string, error: unknown): string =>
  `${file} cannot be read: ${codeOf(error) ?? 'unknown error'}`;

/** Checks an exported configuration. @throws AgentConfigError */
export function checkConfiguration(value: unknown, source: string): AgentConfiguration {
  if (validator().Check(value)) return value;
  const [first] = validator().Errors(value);
  const where = first?.instancePath === '' ? 'the document' : (first?.instancePath ?? 'the document');
  throw new AgentConfigError(
    `${source} is not an exported agent configuration: ${where} ${first?.message ?? ''}`,
  );
}

/** Reads a configuration file downloaded from the console. @throws AgentConfigError */
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

/**
 * Version of a configuration that came from a file or from the state without one: it may be older than any of the server's. Without a
 * version in a report, the server takes the current one.
 */
export const UNKNOWN_VERSION = 0;

export interface Kept {
  /** The server's configVersion; null when the server sent none. */
  readonly version: number | null;
  readonly configuration: AgentConfiguration;
}

/**
 * Saves the server's configuration, so that a rotated key survives a restart after the old key stops working. An older
 * version never replaces a newer one of the same device. @throws Error the state cannot be written now
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

/** Returns the saved configuration; undefined when none is saved or the saved one is invalid. */
function keptConfiguration(store: StateStore): Kept | undefined {
  const text = store.text(AGENT, 'configuration', 0);
  if (text === undefined) return undefined;
  const value = parsedJson(text);
  if (!isRecord(value)) return undefined;
  const { version = null } = value;
  const configuration = value['configuration'] ?? value; // an older agent kept the configuration alone
  const isVersion = version === null || (typeof version === 'number' && Number.isSafeInteger(version));
  return isVersion && validator().Check(configuration) ? { version, configuration } : undefined;
}

/**
 * Returns the server's last configuration when it belongs to the same device, else the downloaded configuration, whose
 * version nobody knows. The agent tries a downloaded file with another key as soon as the server
 * refuses the saved key. @throws Error the state cannot be read now
 */
export function newestConfiguration(store: StateStore, downloaded: AgentConfiguration): Kept {
  const kept = keptConfiguration(store);
  return kept?.configuration.devId === downloaded.devId ? kept : { version: null, configuration: downloaded };
}
