import { resolve, sep } from 'node:path';
import type { AgentConfiguration } from '@sentinel-node/contracts';
import { FileTask, type AgentOfFiles } from './file-task.ts';
import { AGENT } from './state/store.ts';

/**
 * Longest wait for running looks when the agent stops, in ms: the state must be closed before the process is ended
 * by force.
 */
const STOP_LOOKS_MS = 3_000;
const MS_PER_SECOND = 1_000;
/** An absolute path that `resolve` would return as it is, for a kilobyte of garbage. */
const RESOLVED = /^(?:\/[^/.][^/]*)+$/;

/** A configuration, and its version as in `FileTaskOptions`. */
export interface VersionedConfiguration {
  readonly configuration: AgentConfiguration;
  readonly version: number | undefined;
}

/** Keeps one task for each file of the configuration. */
export class FileTasks {
  readonly #agent: AgentOfFiles;
  /** @boundedBy the files of the configuration */
  readonly #tasks = new Map<string, FileTask>();
  /**
   * Looks of closed tasks that have not ended, by path: a file that hangs must not be looked at twice at a time.
   * @boundedBy the files that configurations of this process named
   */
  readonly #ending = new Map<string, Promise<void>>();
  #applying: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(agent: AgentOfFiles) {
    this.#agent = agent;
  }

  /** The tasks by file id. */
  get byId(): ReadonlyMap<string, FileTask> {
    return this.#tasks;
  }

  tasksInOrderOf({ files }: AgentConfiguration): FileTask[] {
    return files.flatMap(({ id }) => this.#tasks.get(id) ?? []);
  }

  /**
   * Starts and stops tasks to match the configuration. Calls run one after the other, because a heartbeat and a reload
   * can both bring a configuration. @param configuration returns the current one when this call runs
   */
  apply(configuration: () => VersionedConfiguration): Promise<void> {
    const applying = this.#applying.then(() => this.#applyNow(configuration()));
    this.#applying = applying.catch(() => undefined);
    return applying;
  }

  /** Refuses further configurations. Resolves when the running `apply` has ended. */
  stopApplying(): Promise<void> {
    this.#stopped = true;
    return this.#applying;
  }

  /** Ends all looks; what a look finds that has not ended after some seconds is dropped. */
  async stop(): Promise<void> {
    const tasks = [...this.#tasks.values()];
    await Promise.race([
      Promise.all(tasks.map((task) => task.endLooks())),
      new Promise((resolve) => setTimeout(resolve, STOP_LOOKS_MS).unref()),
    ]);
    for (const task of tasks) task.close();
  }

  /** Removes the state of files without a task. @throws Error the state cannot be written */
  async removeUnusedState(): Promise<void> {
    await this.#agent.store.keepOnly(new Set([AGENT, ...this.#tasks.keys()]));
  }

  #applyNow({ configuration, version }: VersionedConfiguration): void {
    if (this.#stopped) return;
    const wanted = new Set(configuration.files.map((file) => file.id));
    for (const [id, task] of this.#tasks) {
      if (wanted.has(id)) continue;
      this.#close(task);
      this.#tasks.delete(id);
    }
    for (const file of configuration.files) this.#applyFile(file, configuration.workingDirectory, version);
  }

  #applyFile(
    file: AgentConfiguration['files'][number],
    folder: string,
    configVersion: number | undefined,
  ): void {
    const path = pathOf(folder, file.path);
    const options = {
      file,
      path,
      intervalMs: (file.interval ?? 1) * MS_PER_SECOND,
      configVersion,
      agent: this.#agent,
    };
    const running = this.#tasks.get(file.id);
    if (running?.hasSameSettings(options) === true) return running.useVersion(configVersion);
    if (running !== undefined) this.#close(running);
    this.#tasks.set(file.id, FileTask.start(options, this.#ending.get(path)));
  }

  /** Closes a task without waiting for its look: heartbeats and later configurations must not wait for a hanging disk. */
  #close(task: FileTask): void {
    const { path } = task;
    const ended = task.endLooks();
    task.close();
    this.#ending.set(path, ended);
    void ended.then(() => {
      if (this.#ending.get(path) === ended) this.#ending.delete(path);
    });
  }
}

/** Returns the absolute path of a file; the same string if it is one, which saves memory. */
function pathOf(folder: string, path: string): string {
  if (sep === '/' && RESOLVED.test(path)) return path;
  const resolved = resolve(folder, path);
  return resolved === path ? path : resolved;
}

/** Returns the number of waiting reports. */
export const waitingOf = (tasks: readonly FileTask[]): number =>
  tasks.reduce((sum, task) => sum + task.waiting.length, 0);

/**
 * Returns the oldest timestamp of the waiting reports, ISO 8601 by the machine's clock; null without waiting reports.
 */
export function oldestOf(tasks: readonly FileTask[]): string | null {
  let oldest: string | null = null;
  for (const { waiting } of tasks) {
    const timestamp = waiting[0]?.timestamp;
    if (timestamp !== undefined && (oldest === null || timestamp < oldest)) oldest = timestamp;
  }
  return oldest;
}
