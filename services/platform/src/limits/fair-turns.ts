import { OverloadedError } from '../ports/errors.ts';

export interface FairTurnsOptions {
  /** Unit for error messages, such as `reads`. */
  readonly unit: string;
  /** The most turns at once, of all groups. */
  readonly whole: number;
  /** The most waiting calls of one group. */
  readonly waiting: number;
  /** The longest wait, in milliseconds. */
  readonly waitMs: number;
}

type Begin = (release: () => void) => void;

interface Group {
  running: number;
  /** Waiting calls in the order of arrival. */
  readonly waiting: Set<Begin>;
}

/**
 * Shares turns at a resource that serves only so many calls at once, such as the connections to a store. A group (an
 * organisation) gets no further turn while it has as many as are free (the rule of `FairPool`); its next calls wait,
 * and waiting groups are served in rotation.
 * @poolKind
 */
export class FairTurns {
  readonly #options: FairTurnsOptions;
  /** Groups with running or waiting calls; the next group to be served comes first. */
  readonly #groups = new Map<string, Group>();
  #used = 0;

  constructor(options: FairTurnsOptions) {
    this.#options = options;
  }

  /** Number of taken turns. */
  get used(): number {
    return this.#used;
  }

  /**
   * Waits for a turn.
   * @returns the function that releases the turn; idempotent
   * @throws OverloadedError when too many calls of the group wait, or this call waited too long
   */
  take(group: string): Promise<() => void> {
    const { unit, waiting, waitMs } = this.#options;
    const known = this.#groups.get(group) ?? { running: 0, waiting: new Set() };
    if (known.waiting.size === 0 && this.#mayRun(known)) {
      this.#groups.set(group, known);
      return Promise.resolve(this.#run(group, known));
    }
    if (known.waiting.size >= waiting)
      return Promise.reject(new OverloadedError(`more than ${waiting} ${unit} of one group wait`));
    this.#groups.set(group, known);
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        known.waiting.delete(begin);
        this.#forget(group, known);
        reject(new OverloadedError(`a turn at ${unit} did not come within ${waitMs} ms`));
      }, waitMs);
      const begin: Begin = (release) => {
        clearTimeout(timer);
        resolve(release);
      };
      known.waiting.add(begin);
    });
  }

  #mayRun({ running }: Group): boolean {
    return running < this.#options.whole - this.#used;
  }

  #run(name: string, group: Group): () => void {
    group.running += 1;
    this.#used += 1;
    let isReleased = false;
    return () => {
      if (isReleased) return;
      isReleased = true;
      group.running -= 1;
      this.#used -= 1;
      this.#forget(name, group);
      this.#serve();
    };
  }

  /** Starts waiting calls while there is room, one call a group in each round. */
  #serve(): void {
    for (let served = true; served;) {
      served = false;
      for (const [name, group] of [...this.#groups]) {
        const [begin] = group.waiting;
        if (begin === undefined || !this.#mayRun(group)) continue;
        group.waiting.delete(begin);
        // Moves the group behind the others.
        this.#groups.delete(name);
        this.#groups.set(name, group);
        begin(this.#run(name, group));
        served = true;
      }
    }
  }

  #forget(name: string, { running, waiting }: Group): void {
    if (running === 0 && waiting.size === 0) this.#groups.delete(name);
  }
}
