/** Knows whether the views have what the registry's topic has, for readers that lose what a stale view hides. */
import { GROUPS, TOPICS } from '@sentinel-node/contracts';
import {
  hasFinished,
  NotCaughtUpError,
  type DocumentStore,
  type EventLog,
  type Timers,
} from '@sentinel-node/platform';

const POSITION = { group: GROUPS.projector, topic: TOPICS.registry } as const;

/** Milliseconds between two looks of one wait: longer than the projector usually takes, together. */
const WAITS_MS = [20, 40, 80, 160, 320, 640] as const;

export class RegistryViews {
  readonly #options: RegistryViewsOptions;
  #looking: Promise<unknown> = Promise.resolve();
  /** The look that begins after `#looking`. */
  #next: Promise<boolean> | undefined;

  constructor(options: RegistryViewsOptions) {
    this.#options = options;
  }

  /**
   * Returns whether the views have every record that the registry's topic has when this is called. Calls that come during a look
   * share the next one, so that a storm costs little.
   */
  areCurrent(): Promise<boolean> {
    return (this.#next ??= this.#lookNext());
  }

  /** Waits a short time for the views. @throws NotCaughtUpError */
  async confirm(): Promise<void> {
    if (await this.areCurrent()) return;
    for (const ms of WAITS_MS) {
      await this.#options.timers.delay(ms);
      if (await this.areCurrent()) return;
    }
    throw new NotCaughtUpError(POSITION);
  }

  async #lookNext(): Promise<boolean> {
    await this.#looking;
    this.#next = undefined;
    const { store, eventLog } = this.#options;
    const look = hasFinished(store, eventLog, POSITION);
    this.#looking = look.catch(() => undefined);
    return look;
  }
}

export interface RegistryViewsOptions {
  readonly store: Pick<DocumentStore, 'getMany'>;
  readonly eventLog: Pick<EventLog, 'bounds'>;
  readonly timers: Pick<Timers, 'delay'>;
}
