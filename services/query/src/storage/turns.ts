/**
 * Makes calls that work on the same key take turns, so that they do not collide in the store.
 * @boundedBy the commands that are under way
 */
export class Turns {
  /** The last running work, by key. At most one entry a request. */
  readonly #last = new Map<string, Promise<void>>();

  async take<T>(key: string, work: () => Promise<T>): Promise<T> {
    const mine = (this.#last.get(key) ?? Promise.resolve()).then(work);
    const turn = mine.then(
      () => undefined,
      () => undefined,
    );
    this.#last.set(key, turn);
    try {
      return await mine;
    } finally {
      if (this.#last.get(key) === turn) this.#last.delete(key);
    }
  }
}
