import { ApiError } from '@sentinel-node/platform';

/** Exports under way; each holds about a page of the store and what its connection has not sent yet. */
export const EXPORT_LIMITS = { atOnce: 20, perUser: 4 } as const;

/** Keeps clients that take their export slowly from adding up. */
export class ExportGate {
  readonly #perUser = new Map<string, number>();
  #all = 0;

  /**
   * @returns ends what was entered; further calls do nothing
   * @throws ApiError OVERLOADED: come again when one has ended
   */
  enter(userId: string): () => void {
    const own = this.#perUser.get(userId) ?? 0;
    if (own >= EXPORT_LIMITS.perUser || this.#all >= EXPORT_LIMITS.atOnce)
      throw new ApiError('OVERLOADED', 'Too many exports are under way.');
    this.#perUser.set(userId, own + 1);
    this.#all++;
    let isInside = true;
    return () => {
      if (!isInside) return;
      isInside = false;
      this.#all--;
      const left = this.#perUser.get(userId)! - 1;
      if (left === 0) this.#perUser.delete(userId);
      else this.#perUser.set(userId, left);
    };
  }
}
