import { resolve } from 'node:path';
import type { AgentConfiguration } from '@sentinel-node/contracts';
import { FileTask, type AgentOfFiles } from './file-task.ts';
import { Gate } from './gate.ts';
import { AGENT } from './state/store.ts';

/** Files that are begun with at a time. */
const STARTS = 16;
const MS_PER_SECOND = 1_000;

/** One task for each file that the configuration names. */
export class FileTasks {
  readonly #agent: AgentOfFiles;
  /** @boundedBy the files of the configuration */
  readonly #tasks = new Map<string, FileTask>();
  #applying: Promise<void> = Promise.resolve();
  #stopped = false;

  constructor(agent: AgentOfFiles) {
    this.#agent = agent;
  }

  /** By the file's id. */
  get byId(): ReadonlyMap<string, FileTask> {
    return this.#tasks;
  }

  inOrderOf({ files }: AgentConfiguration): FileTask[] {
    return files.flatMap(({ id }) => this.#tasks.get(id) ?? []);
  }

  /**
   * Starts and stops tasks until they are those of the configuration. One call after the other: the heartbeat and a person
   * can bring configurations at the same time. @param configuration the one in force when it is this call's turn
   */
  apply(configuration: () => AgentConfiguration): Promise<void> {
    const applying = this.#applying.then(() => this.#applyNow(configuration()));
    this.#applying = applying.catch(() => undefined);
    return applying;
  }

  /** From now on nothing is applied. Resolves when what is being applied is. */
  stopApplying(): Promise<void> {
    this.#stopped = true;
    return this.#applying;
  }

  async stop(): Promise<void> {
    await Promise.all([...this.#tasks.values()].map((task) => task.stop()));
  }

  /** Removes the state of files that have no task. @throws Error the state cannot be written */
  async forgetOthers(): Promise<void> {
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
      path: path === file.path ? file.path : path, // one copy of the text, for ten thousand files
      intervalMs: (file.interval ?? 1) * MS_PER_SECOND,
      agent: this.#agent,
    };
    const running = this.#tasks.get(file.id);
    if (running?.isFor(options) === true) return;
    await running?.stop();
    this.#tasks.set(file.id, FileTask.start(options));
  }
}

/** Reports that wait for the server. */
export const waitingOf = (tasks: readonly FileTask[]): number =>
  tasks.reduce((sum, task) => sum + task.waiting.length, 0);

/** Of the reports that wait; each file's are in their order. ISO 8601, by the machine's clock; null: none waits. */
export function oldestOf(tasks: readonly FileTask[]): string | null {
  const waiting = tasks.flatMap((task) => task.waiting[0]?.timestamp ?? []);
  return waiting.length === 0 ? null : waiting.reduce((a, b) => (a < b ? a : b));
}
