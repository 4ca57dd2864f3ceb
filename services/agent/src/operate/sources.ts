import { readdir, readFile, stat } from 'node:fs/promises';
import { homedir } from 'node:os';
import { dirname, join } from 'node:path';
import type { AgentConfiguration } from '@sentinel-node/contracts';
import { cannotRead, readConfiguration } from '../config.ts';
import { AgentConfigError } from '../config-error.ts';
import { stateFileIn } from '../state/state-file.ts';
import type { WrittenStatus } from '../status.ts';

/** Name of the status file in a state folder, for `sentinel agent status`. */
export const STATUS_FILE = 'status.json';

/** A device's configuration and state folder. */
export interface Source {
  /** Path of the configuration file. */
  readonly file: string;
  readonly configuration: AgentConfiguration;
  /** Folder of unsent reports and the agent's saved state. */
  readonly stateDir: string;
}

/** Configurations that cannot be used. */
export interface Unusable {
  /** Path of the configuration, or of the folder; undefined when there is no configuration at all. */
  readonly path: string | undefined;
  /** One line that says why. */
  readonly message: string;
}

export interface Sources {
  readonly good: readonly Source[];
  /** Not empty when `good` is. */
  readonly bad: readonly Unusable[];
}

/** Returns whether the configuration at `file`, which `readSources` named, is one of those that cannot be used. */
export const isAmong = ({ path }: Unusable, file: string): boolean =>
  path !== undefined && (file === path || dirname(file) === dirname(join(path, 'any')));

/** Returns the default folder of agents' state, which has one folder per device. */
export const defaultStateFolder = (): string =>
  join(process.env['XDG_STATE_HOME'] ?? join(homedir(), '.local', 'state'), 'sentinel-agent');

/**
 * Reads the configurations that `--config` names: files, and the `.json` files of folders sorted by name. A single file
 * uses `stateDir` itself; several files use one folder per device in it. A device that has its state in the other of these
 * places goes on with it.
 */
export async function readSources(paths: readonly string[], stateDir: string | undefined): Promise<Sources> {
  const files: string[] = [];
  const bad: Unusable[] = [];
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
      bad.push({ path, message: cannotRead(path, error) });
    }
  }
  if (files.length === 0 && bad.length === 0)
    bad.push({ path: undefined, message: `there is no configuration (*.json) in ${paths.join(', ')}` });
  const alone = folders === 0 && paths.length === 1;
  const good: Source[] = [];
  for (const file of files) {
    try {
      const configuration = await readConfiguration(file);
      const twin = good.find((one) => one.configuration.devId === configuration.devId);
      if (twin !== undefined)
        throw new AgentConfigError(`${file} and ${twin.file} are configurations of one device; keep one`);
      good.push({ file, configuration, stateDir: await stateFolder(stateDir, configuration.devId, alone) });
    } catch (error) {
      if (!(error instanceof AgentConfigError)) throw error;
      bad.push({ path: file, message: error.message });
    }
  }
  return { good, bad };
}

/** Returns the state folder of a device. @param alone whether its configuration is the only one of `--config` */
async function stateFolder(stateDir: string | undefined, device: string, alone: boolean): Promise<string> {
  if (stateDir === undefined) return join(defaultStateFolder(), device);
  const own = join(stateDir, device);
  const [usual, other] = alone ? [stateDir, own] : [own, stateDir];
  if ((await deviceIn(other)) !== device) return usual;
  const there = await deviceIn(usual);
  const isOwn = there === undefined ? hasState(usual) : there === device;
  return isOwn ? usual : other;
}

function hasState(folder: string): boolean {
  try {
    return stateFileIn(folder) !== undefined;
  } catch {
    return false;
  }
}

/** Returns the device whose status is in the folder; undefined when no status can be read. */
async function deviceIn(folder: string): Promise<string | undefined> {
  try {
    const status: Partial<WrittenStatus> | null = JSON.parse(
      await readFile(join(folder, STATUS_FILE), 'utf8'),
    );
    return status?.device;
  } catch {
    return undefined;
  }
}
