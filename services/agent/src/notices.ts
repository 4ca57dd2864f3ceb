import { LIMITS, type AgentEvent } from '@sentinel-node/contracts';
import { AGENT, type StateStore } from './state/store.ts';

/** Longest message, in characters. */
const MESSAGE_CHARACTERS = 500;

/**
 * What the agent has to say of itself: each goes out with the next heartbeat and becomes an event. They are kept on disk
 * as well as that goes; a disk that is full must not keep them from being told.
 */
export class Notices {
  readonly #store: StateStore;
  readonly #onNew: () => void;
  #pending: AgentEvent[] = [];
  #isKept = true;
  #writing: Promise<void> | undefined;

  constructor(store: StateStore, onNew: () => void) {
    this.#store = store;
    this.#onNew = onNew;
  }

  /** Takes over what the last run could not tell. @throws Error the state cannot be read now */
  load(): void {
    const text = this.#store.text(AGENT, 'events', 0);
    const kept: unknown = text === undefined ? undefined : JSON.parse(text);
    if (Array.isArray(kept)) this.#pending.unshift(...kept);
  }

  get pending(): readonly AgentEvent[] {
    return this.#pending;
  }

  /** A notice of the same code and file takes the place of one that was not told yet. */
  add(code: string, message: string, fileId: string | null = null): void {
    const others = this.#pending.filter((one) => one.code !== code || one.fileId !== fileId);
    const notice = { code, message: message.slice(0, MESSAGE_CHARACTERS), fileId };
    this.#pending = [...others, notice].slice(-LIMITS.heartbeatEvents);
    this.#keep();
    this.#onNew();
  }

  /** The server has these. */
  told(notices: readonly AgentEvent[]): void {
    if (notices.length === 0) return;
    this.#pending = this.#pending.filter((one) => !notices.includes(one));
    this.#keep();
  }

  /** One write at a time; what comes meanwhile is in the next one. */
  #keep(): void {
    this.#isKept = false;
    this.#writing ??= this.#write().finally(() => (this.#writing = undefined));
  }

  async #write(): Promise<void> {
    while (!this.#isKept) {
      this.#isKept = true;
      const text = JSON.stringify(this.#pending);
      await this.#store
        .commit(AGENT, [{ do: 'put', part: 'events', number: 0, text }])
        .catch(() => undefined);
    }
  }

  /** Resolves when what is pending is on disk, or could not be put there. */
  async settled(): Promise<void> {
    await this.#writing;
  }
}
