import { resolve } from 'node:path';
import type { AgentConfiguration } from '@sentinel-node/contracts';
import { FileTask, type AgentOfFiles } from './file-task.ts';
import { Gate } from './gate.ts';
import { AGENT } from './state/store.ts';

/** Most tasks that start at the same time. */
const STARTS = 16;
const MS_PER_SECOND = 1_000;

/** Keeps one task for each file of the configuration. */
export class FileTasks {
  readonly #agent: AgentOfFiles;
  /** @boundedBy the files of the configuration */
  readonly #tasks = new Map<string, FileTask>();
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
  apply(configuration: () => AgentConfiguration): Promise<void> {
    const applying = this.#applying.then(() => this.#applyNow(configuration()));
    this.#applying = applying.catch(() => undefined);
    return applying;
  }

  /** Refuses further configurations. Resolves when the running `apply` has ended. */
  stopApplying(): Promise<void> {
    this.#stopped = true;
    return this.#applying;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#tasks.values()].map((task) => task.stop()));
  }

  /** Removes the state of files without a task. @throws Error the state cannot be written */
  async removeUnusedState(): Promise<void> {
    const { store } = this.#agent;
    const others = store.owners().filter((owner) => owner !== AGENT && !this.#tasks.has(owner));
    await Promise.all(others.map((owner) => store.commit(owner, [{ do: 'removeAll' }])));
  }

  async #applyNow(configuration: AgentConfiguration): Promise<void> {
    if (this.#stopped) return;
    const wanted = new Set(configuration.files.map((file) => file.id));
    for (const [id, task] of this.#tasks) {
      if (wanted.has(id)) continue;
      await task.stop();
      this.#tasks.delete(id);
    }
    const starts = new Gate(STARTS);
    await Promise.all(
      configuration.files.map((file) =>
        starts.run(() => this.#applyFile(file, configuration.workingDirectory)),
      ),
    );
  }

  async #applyFile(file: AgentConfiguration['files'][number], folder: string): Promise<void> {
    const path = resolve(folder, file.path);
    const options = {
      file,
      path: path === file.path ? file.path : path, // share equal strings, which saves memory
      intervalMs: (file.interval ?? 1) * MS_PER_SECOND,
      agent: this.#agent,
    };
    const running = this.#tasks.get(file.id);
    if (running?.hasSameSettings(options) === true) return;
    await running?.stop();
    this.#tasks.set(file.id, FileTask.start(options));
  }
}

/** Returns the number of waiting reports. */
export const waitingOf = (tasks: readonly FileTask[]): number =>
  tasks.reduce((sum, task) => sum + task.waiting.length, 0);

/**
 * Returns the oldest timestamp of the waiting reports, ISO 8601 by the machine's clock; null without waiting reports.
 */
export function oldestOf(tasks: readonly FileTask[]): string | null {
  const waiting = tasks.flatMap((task) => task.waiting[0]?.timestamp ?? []);
  return waiting.length === 0 ? null : waiting.reduce((a, b) => (a < b ? a : b));
}
