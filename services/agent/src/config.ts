import { mkdir, readFile, rename, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { AgentConfigurationSchema, type AgentConfiguration } from '@sentinel-node/contracts';
import { Compile } from 'typebox/compile';

const validator = Compile(AgentConfigurationSchema);

/** The agent cannot start with what it was given; the message says what to do, in one line. */
export class AgentConfigError extends Error {
  readonly code = 'AGENT_CONFIG';
}

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
    throw new AgentConfigError(
      `${file} cannot be read: ${(error as NodeJS.ErrnoException).code ?? 'unknown error'}`,
    );
  }
  try {
    return checkConfiguration(JSON.parse(text), file);
  } catch (error) {
    if (error instanceof AgentConfigError) throw error;
    throw new AgentConfigError(`${file} is not JSON; download the configuration again`);
  }
}

const keptFile = (stateDir: string): string => join(stateDir, 'configuration.json');

/** Keeps what the server sent, so that a rotated key is known after a restart when the old one no longer works. */
export async function keepConfiguration(stateDir: string, configuration: AgentConfiguration): Promise<void> {
  await mkdir(stateDir, { recursive: true, mode: 0o700 });
  const part = `${keptFile(stateDir)}.part`;
  await writeFile(part, JSON.stringify(configuration), { mode: 0o600 });
  await rename(part, keptFile(stateDir));
}

/** The downloaded configuration, or what the server sent since, if that is newer and of the same device. */
export async function newestConfiguration(file: string, stateDir: string): Promise<AgentConfiguration> {
  const downloaded = await readConfiguration(file);
  const kept = await stat(keptFile(stateDir)).catch(() => undefined);
  if (kept === undefined || kept.mtimeMs < (await stat(file)).mtimeMs) return downloaded;
  const sent = await readConfiguration(keptFile(stateDir));
  return sent.devId === downloaded.devId ? sent : downloaded;
}
