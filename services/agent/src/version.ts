import { readFile } from 'node:fs/promises';

/** Reads the version of the agent's own package. */
export async function agentVersion(): Promise<string> {
  const file = new URL('../../package.json', import.meta.url);
  return (JSON.parse(await readFile(file, 'utf8')) as { version: string }).version;
}
