import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, readConfiguration } from '@sentinel-node/agent';
import type { Log, Timers } from '@sentinel-node/platform';
import { startLife } from './life.ts';
import { setUpDemo } from './setup.ts';

export interface Demo {
  /** Folder with the demonstration's files, which a person may change. */
  readonly folder: string;
  stop(): Promise<void>;
}

export interface DemoOptions {
  readonly dataDir: string;
  /** URL of the server. */
  readonly url: string;
  readonly log: Log;
  readonly timers: Timers;
  readonly now: () => number;
}

const demoFolder = (dataDir: string): string => join(dataDir, 'demo');
const markerFile = (dataDir: string): string => join(demoFolder(dataDir), 'begun');

/** Returns whether the set-up of a demonstration has begun in this data folder. */
export const hasDemo = (dataDir: string): boolean => existsSync(markerFile(dataDir));

/** Marks a fresh data folder for a demonstration; the next start continues an interrupted set-up. */
export async function markDemo(dataDir: string): Promise<void> {
  await mkdir(demoFolder(dataDir), { recursive: true });
  await writeFile(markerFile(dataDir), '');
}

/** Completes the set-up of the demonstration, then starts a real agent and the changes of the files. */
export async function startDemo({ dataDir, url, log, timers, now }: DemoOptions): Promise<Demo> {
  const folder = join(demoFolder(dataDir), 'files');
  const file = join(demoFolder(dataDir), 'agent_configuration.json');
  const made = existsSync(file) ? await readConfiguration(file) : await setUpDemo(url, folder, file);
  // Use the local address, because the public one may need a proxy that does not exist on this machine.
  const configuration = { ...made, sentinelAddress: `${url}/api/v1` };
  const agent = new Agent({
    configuration,
    // The agent saved the last start's address, where nothing listens after a change of the port.
    downloaded: () => Promise.resolve(configuration),
    stateDir: join(demoFolder(dataDir), 'agent-state'),
    log: (level, message) => log[level]({ demoAgent: true }, message),
  });
  await agent.start();
  const life = startLife(folder, timers, now);
  return {
    folder,
    stop: async () => {
      await life.stop();
      await agent.stop();
    },
  };
}
