import { readdir, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { join } from 'node:path';
import type { AgentConfiguration } from '@sentinel-node/contracts';
import { AgentConfigError, cannotRead, readConfiguration } from '../config.ts';

/** A device that this process is the agent of. */
export interface Source {
  /** The configuration as a person put it there. */
  readonly file: string;
  readonly configuration: AgentConfiguration;
  /** What waits for the server, and what the agent remembers. */
  readonly stateDir: string;
}

export interface Sources {
  readonly good: readonly Source[];
  /** One line for each configuration that cannot be used. */
  readonly bad: readonly string[];
}

/** Where agents keep their state unless told otherwise; a folder a device. */
export const defaultStateFolder = (): string =>
  join(process.env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state'), 'sentinel-agent');

/**
 * Reads the configurations that `--config` names: files, and folders whose `.json` files are taken in the order of their
 * names. A single file has `stateDir` for itself, as `--state` says; several share it, with a folder a device.
 * @throws AgentConfigError there is none
 */
export async function readSources(paths: readonly string[], stateDir: string | undefined): Promise<Sources> {
  const files: string[] = [];
  const bad: string[] = [];
  let folders = 0;
  for (const path of paths) {
    try {
      if (!(await stat(path)).isDirectory()) files.push(path);
      else {
        folders += 1;
        const names = (await readdir(path)).filter((name) => name.endsWith('.json')).sort();
        files.push(...names.map((name) => join(path, name)));
      }
    } catch (error) {
      bad.push(cannotRead(path, error));
    }
  }
  if (files.length === 0 && bad.length === 0)
    throw new AgentConfigError(`there is no configuration (*.json) in ${paths.join(', ')}`);
  const alone = folders === 0 && paths.length === 1;
  const good: Source[] = [];
  for (const file of files) {
    try {
      const configuration = await readConfiguration(file);
      const twin = good.find((one) => one.configuration.devId === configuration.devId);
      if (twin !== undefined)
        throw new AgentConfigError(`${file} and ${twin.file} are configurations of one device; keep one`);
      const own = join(stateDir ?? defaultStateFolder(), configuration.devId);
      good.push({ file, configuration, stateDir: alone && stateDir !== undefined ? stateDir : own });
    } catch (error) {
      if (!(error instanceof AgentConfigError)) throw error;
      bad.push(error.message);
    }
  }
  return { good, bad };
}
