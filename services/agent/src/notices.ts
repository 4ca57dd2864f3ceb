import { LIMITS, type AgentEvent } from '@sentinel-node/contracts';
import { AGENT, type StateStore } from './state/store.ts';

/** Most unsent notices: one for each file of a device. The oldest are dropped first. */
const PENDING_NOTICES = 2_000;
/** Longest message, in characters. */
const MESSAGE_CHARACTERS = 500;

/**
 * Notices of the agent about itself: the next heartbeat sends them, and the server records them as events. They are
 * saved to disk when possible; a full disk must not prevent sending them.
 */
export class Notices {
  readonly #store: StateStore;
  readonly #onNew: () => void;
  /** @boundedBy PENDING_NOTICES */
  #pending: AgentEvent[] = [];
  #isKept = true;
  #writing: Promise<void> | undefined;
  /** Why the last write failed. */
  #failure: { readonly error: unknown } | undefined;

  constructor(store: StateStore, onNew: () => void) {
    this.#store = store;
    this.#onNew = onNew;
  }

  /** Loads the last run's unsent notices. @throws Error the state cannot be read now */
  load(): void {
    const text = this.#store.text(AGENT, 'events', 0);
    const kept: unknown = text === undefined ? undefined : JSON.parse(text);
    if (Array.isArray(kept)) this.#pending.unshift(...kept);
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
    const others = this.#pending.filter((one) => one.code !== code || one.fileId !== fileId);
    const notice = { code, message: message.slice(0, MESSAGE_CHARACTERS), fileId };
    this.#pending = [...others, notice].slice(-PENDING_NOTICES);
    this.#keep();
    this.#onNew();
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
      const text = JSON.stringify(this.#pending);
      this.#failure = await this.#store.commit(AGENT, [{ do: 'put', part: 'events', number: 0, text }]).then(
        () => undefined,
        (error: unknown) => ({ error }),
      );
    }
  }

  /** Resolves when all notices are durable; saves them again when that failed before. @throws Error the state cannot be written */
  async durable(): Promise<void> {
    if (this.#failure !== undefined) this.#keep();
    await this.#writing;
    if (this.#failure !== undefined) throw this.#failure.error;
  }

  /** Resolves when saving has ended, with or without success. */
  async settled(): Promise<void> {
    await this.#writing;
  }
}
