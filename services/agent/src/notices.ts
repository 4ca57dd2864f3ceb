import { LIMITS, type AgentEvent } from '@sentinel-node/contracts';
import type { FailureMark } from './state/failure-mark.ts';
import { AGENT, type StateStore } from './state/store.ts';

/** Most unsent notices: one for each file of a device. The oldest are dropped first. */
const PENDING_NOTICES = 2_000;
/** Longest message, in characters. */
const MESSAGE_CHARACTERS = 500;

export interface NoticesOptions {
  readonly store: StateStore;
  /** Remembers over a restart that notices could not be saved. */
  readonly mark: FailureMark;
  readonly wallMs: () => number;
  /** Called when a notice waits for the next heartbeat. */
  readonly onNew: () => void;
}

/**
 * Notices of the agent about itself: the next heartbeat sends them, and the server records them as events. They are
 * saved to disk when possible; a full disk must not prevent sending them.
 */
export class Notices {
  readonly #options: NoticesOptions;
  /** @boundedBy PENDING_NOTICES */
  #pending: AgentEvent[] = [];
  /** The last run's notices are among the pending ones: before that, saving would overwrite them. */
  #isLoaded = false;
  #isKept = true;
  #writing: Promise<void> | undefined;
  /** Why the last write failed. */
  #failure: { readonly error: unknown } | undefined;

  constructor(options: NoticesOptions) {
    this.#options = options;
  }

  /**
   * Loads the last run's unsent notices, and reports a failure that it could not save.
   * @throws Error the state cannot be read now; the next save tries again
   */
  load(): void {
    this.#openMark();
    this.#loadKept();
  }

  #openMark(): void {
    const left = this.#options.mark.open();
    if (left === undefined) return;
    const since = left.since === undefined ? '' : `From ${left.since} to its end, `;
    this.add(
      'SPOOL_FAILED',
      `${since}the last run of the agent could not write its state folder (${left.code}): changes that were undone before this run were not recorded, and events may be lost.`,
    );
  }

  /** @throws Error the state cannot be read now */
  #loadKept(): void {
    if (this.#isLoaded) return;
    const text = this.#options.store.text(AGENT, 'events', 0);
    const found: unknown = text === undefined ? undefined : JSON.parse(text);
    this.#isLoaded = true;
    const kept: AgentEvent[] = Array.isArray(found) ? found : [];
    const others = kept.filter((one) => !this.#pending.some((other) => isSameSubject(one, other)));
    this.#pending = [...others, ...this.#pending].slice(-PENDING_NOTICES);
  }

  get pending(): readonly AgentEvent[] {
    return this.#pending;
  }

  /** Returns the oldest notices, at most as many as a heartbeat holds. */
  get next(): readonly AgentEvent[] {
    return this.#pending.slice(0, LIMITS.heartbeatEvents);
  }

  /** Adds a notice; it replaces an unsent one with the same code and file. */
  add(code: string, message: string, fileId: string | null = null): void {
    const notice = { code, message: message.slice(0, MESSAGE_CHARACTERS), fileId };
    const others = this.#pending.filter((one) => !isSameSubject(one, notice));
    this.#pending = [...others, notice].slice(-PENDING_NOTICES);
    this.#keep();
    this.#options.onNew();
  }

  /** Removes notices that the server accepted. */
  removeAccepted(notices: readonly AgentEvent[]): void {
    if (notices.length === 0) return;
    this.#pending = this.#pending.filter((one) => !notices.includes(one));
    this.#keep();
  }

  /** Saves the notices; one write at a time, and the next write includes later notices. */
  #keep(): void {
    this.#isKept = false;
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
  }

  async #write(): Promise<void> {
    while (!this.#isKept) {
      this.#isKept = true;
      this.#failure = await this.#save().then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
      const { mark, wallMs } = this.#options;
      if (this.#failure !== undefined) mark.set(this.#failure.error, wallMs());
      else if (mark.isOpen) mark.clear();
      else this.#openMark();
    }
  }

  /** @throws Error the state cannot be read or written */
  async #save(): Promise<void> {
    await Promise.resolve(); // a notice can be added while the state is being opened
    this.#loadKept();
    const text = JSON.stringify(this.#pending);
    await this.#options.store.commit(AGENT, [{ do: 'put', part: 'events', number: 0, text }]);
  }

  /** Saves the notices again when the last attempt failed. */
  saveAgain(): void {
    if (this.#failure !== undefined) this.#keep();
  }

  /** Resolves when all notices are durable; saves them again when that failed before. @throws Error the state cannot be written */
  async durable(): Promise<void> {
    this.saveAgain();
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Resolves when saving has ended, with or without success; later failures leave no mark. */
  async close(): Promise<void> {
    await this.#writing;
    this.#options.mark.close();
  }
}

const isSameSubject = (a: AgentEvent, b: AgentEvent): boolean => a.code === b.code && a.fileId === b.fileId;
