/** The points at which a process ends. */
import type { Ports } from './support.ts';

export class Crash extends Error {}

export type Moment = 'before' | 'after';

/** Calls with an effect outside of the process; a crash anywhere between two of them leaves the same state. */
const CHANGES = new Set([
  'append',
  'bulkUpsert',
  'ensure',
  'funding',
  'insertMissing',
  'insertUnique',
  'remove',
  'submit',
  'update',
  'writeBatches',
]);

/** Ends the process at the call number `at` that has an effect, before or after the effect; no later call works. */
export class CrashPoint {
  readonly #at: number;
  readonly #moment: Moment;
  #calls = 0;
  #reached = false;

  /** @param at from 1; Infinity for never */
  constructor(at: number, moment: Moment = 'before') {
    this.#at = at;
    this.#moment = moment;
  }

  get reached(): boolean {
    return this.#reached;
  }

  /** Returns the ports of the process. */
  cut<T extends Partial<Ports>>(ports: T): T {
    const wrapped = Object.entries(ports).map(([name, port]) => [name, this.#wrap(port)]);
    return Object.fromEntries(wrapped) as T;
  }

  #wrap<T extends object>(port: T): T {
    return new Proxy(port, {
      get: (target, name) => {
        const value: unknown = Reflect.get(target, name, target);
        if (typeof value !== 'function') return value;
        const call = value.bind(target) as (...args: unknown[]) => unknown;
        return CHANGES.has(String(name)) ? this.#change(call) : this.#look(call);
      },
    });
  }

  #look(call: (...args: unknown[]) => unknown) {
    return (...args: unknown[]): unknown => {
      if (this.#reached) throw new Crash();
      return call(...args);
    };
  }

  #change(call: (...args: unknown[]) => unknown) {
    return async (...args: unknown[]): Promise<unknown> => {
      if (this.#reached) throw new Crash();
      this.#reached = ++this.#calls === this.#at;
      if (!this.#reached) return call(...args);
      if (this.#moment === 'after') await call(...args);
      throw new Crash();
    };
  }
}
