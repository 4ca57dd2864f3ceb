import { readFile } from 'node:fs/promises';

/** Reads the version of the agent's own package. */
export async function agentVersion(): Promise<string> {
  const file = new URL('../../package.json', import.meta.url);
  const { version }: { version: string } = JSON.parse(await readFile(file, 'utf8'));
  return version;
}
