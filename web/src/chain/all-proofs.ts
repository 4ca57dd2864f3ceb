/** Downloads all proofs of a file in several bundles. */
import { isCode } from '../api/errors.ts';

/** Entries of a requested bundle; without `to`, up to the newest entry. */
export interface BundleRange {
  readonly from: number;
  readonly to?: number;
}
export interface SavedBundle extends BundleRange {
  readonly document: Blob;
}

/** Most entries of a bundle: the server's limit. */
const MOST_ENTRIES = 1_000;
/** Most bundles of one download. */
export const MOST_BUNDLES = 20;

/**
 * Yields bundles without a gap between them, the oldest entries first, `MOST_BUNDLES` at most.
 * @param ask requests one bundle; refuses too many entries or bytes with VALIDATION_FAILED, an end after the newest
 * entry with NOT_FOUND
 * @throws errors of `ask` when the range cannot be made smaller
 */
export async function* allProofs(ask: (range: BundleRange) => Promise<Blob>): AsyncGenerator<SavedBundle> {
  let from = 0;
  let entries = MOST_ENTRIES;
  for (let count = 0; count < MOST_BUNDLES; count++) {
    const rest = await orElse(ask({ from }));
    if (rest !== undefined) return yield { from, document: rest };
    let document: Blob | undefined;
    for (;;) {
      const range = { from, to: from + entries - 1 };
      document = entries === 1 ? await ask(range) : await orElse(ask(range));
      if (document !== undefined) break;
      entries = Math.ceil(entries / 2);
    }
    yield { from, to: from + entries - 1, document };
    from += entries;
  }
}

/** Returns undefined when the range has too many entries or bytes, or ends after the newest entry. */
async function orElse(asked: Promise<Blob>): Promise<Blob | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isCode(error, 'VALIDATION_FAILED') || isCode(error, 'NOT_FOUND')) return undefined;
    throw error;
  }
}
