import { failureSignal } from '../ports/failure.ts';

/** A subscription, a repeating task, or another part that works until it is stopped. */
export interface Part {
  /** Resolves when the part has finished its current work and does nothing more. */
  stop(): Promise<void>;
  /** Rejects when the part failed permanently. */
  readonly failed?: Promise<never>;
}

export type LifecycleState = 'new' | 'running' | 'failed' | 'stopped';

/**
 * Starts, drains and stops a service of several parts. The first part that fails makes the service fail; failures
 * while the service stops are expected and change nothing.
 * @boundedBy the parts of the service
 */
export class Lifecycle {
  /** Rejects with the first failure of a part. */
  readonly failed: Promise<never>;
  readonly #reject: (error: unknown) => void;
  readonly #onFailure: (error: unknown) => void;
  #parts: Part[] = [];
  #state: LifecycleState = 'new';

  /** @param onFailure logs the failure and stops everything that depends on the service; called at most once */
  constructor(onFailure: (error: unknown) => void) {
    ({ failed: this.failed, fail: this.#reject } = failureSignal());
    this.#onFailure = onFailure;
  }

  get state(): LifecycleState {
    return this.#state;
  }

  get isRunning(): boolean {
    return this.#state === 'running';
  }

  /** Takes over started parts; the service runs from now on. */
  run(...parts: readonly Part[]): void {
    if (this.#state === 'new') this.#state = 'running';
    this.#parts.push(...parts);
    for (const { failed } of parts) failed?.catch((error: unknown) => this.fail(error));
  }

  /** Makes the service fail, as when a part of it fails. */
  fail(error: unknown): void {
    if (this.#state === 'failed' || this.#state === 'stopped') return;
    this.#state = 'failed';
    this.#onFailure(error);
    this.#reject(error);
  }

  /** Stops all parts at the same time and resolves when all have ended. */
  async stop(): Promise<void> {
    this.#state = 'stopped';
    await Promise.all(this.#parts.splice(0).map((part) => part.stop()));
  }
}
