import { existsSync } from 'node:fs';
import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { Agent, readConfiguration } from '@sentinel-node/agent';
import type { Log, Timers } from '@sentinel-node/platform';
import { startLife } from './life.ts';
import { setUpDemo } from './setup.ts';

export interface Demo {
  /** Folder whose files a reader may change. */
  readonly folder: string;
  stop(): Promise<void>;
}

export interface DemoOptions {
  readonly dataDir: string;
  /** Where the server listens. */
  readonly url: string;
  readonly log: Log;
  readonly timers: Timers;
  readonly now: () => number;
}

const demoFolder = (dataDir: string): string => join(dataDir, 'demo');
const markerFile = (dataDir: string): string => join(demoFolder(dataDir), 'begun');

/** A demonstration belongs to this data folder: its set-up began once. */
export const hasDemo = (dataDir: string): boolean => existsSync(markerFile(dataDir));

/** Says that this fresh data folder gets a demonstration; a set-up that is interrupted goes on at the next start. */
export async function markDemo(dataDir: string): Promise<void> {
  await mkdir(demoFolder(dataDir), { recursive: true });
  await writeFile(markerFile(dataDir), '');
}

/** Sets the demonstration up when that is not done yet, and starts the real agent and the life of its files. */
export async function startDemo({ dataDir, url, log, timers, now }: DemoOptions): Promise<Demo> {
  const folder = join(demoFolder(dataDir), 'files');
  const file = join(demoFolder(dataDir), 'agent_configuration.json');
  const configuration = existsSync(file) ? await readConfiguration(file) : await setUpDemo(url, folder, file);
  const agent = new Agent({
    // The public address may lead through a proxy that is not there on this machine.
    configuration: { ...configuration, sentinelAddress: `${url}/api/v1` },
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
