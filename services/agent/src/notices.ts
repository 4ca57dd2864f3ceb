import { readFile } from 'node:fs/promises';
import { LIMITS, type AgentEvent } from '@sentinel-node/contracts';
import { seal, unseal, writeWhole } from './io/sealed.ts';

/** Longest message, in characters. */
const MESSAGE_CHARACTERS = 500;

/**
 * What the agent has to say of itself: each goes out with the next heartbeat and becomes an event. They are kept on disk
 * as well as that goes; a disk that is full must not keep them from being told.
 */
export class Notices {
  readonly #file: string;
  readonly #onNew: () => void;
  #pending: AgentEvent[] = [];
  #writing: Promise<void> = Promise.resolve();

  constructor(file: string, onNew: () => void) {
    this.#file = file;
    this.#onNew = onNew;
  }

  /** Takes over what the last run could not tell. */
  async load(): Promise<void> {
    const text = await readFile(this.#file, 'utf8').catch(() => '');
    const kept = unseal(text);
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

  #keep(): void {
    this.#writing = this.#writing
      .then(() => writeWhole(this.#file, seal(this.#pending)))
      .catch(() => undefined);
  }

  /** Resolves when what is pending is on disk, or could not be put there. */
  settled(): Promise<void> {
    return this.#writing;
  }
}
