import { readFile } from 'node:fs/promises';
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
