/** All proofs of a file, in as many bundles as it takes. */
import { isCode } from './api/errors.ts';

/** What a bundle is asked for; `to` absent: the newest entry. */
export interface BundleRange {
  readonly from: number;
  readonly to?: number;
}
export interface SavedBundle extends BundleRange {
  readonly document: Blob;
}

/** Entries of a bundle at most: the server's limit. */
const MOST_ENTRIES = 1_000;
/** Bundles of one download at most. */
export const MOST_BUNDLES = 20;

/**
 * Bundles that fit together without a gap, the oldest entries first; of a file with more than `MOST_BUNDLES` only these.
 * @param ask for one bundle; refuses too many entries or bytes with VALIDATION_FAILED, an end after the newest
 * entry with NOT_FOUND
 * @throws what `ask` throws when the range cannot be made smaller
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

/** undefined: the range has too many entries, its bundle too many bytes, or it ends after the newest entry. */
async function orElse(asked: Promise<Blob>): Promise<Blob | undefined> {
  try {
    return await asked;
  } catch (error) {
    if (isCode(error, 'VALIDATION_FAILED') || isCode(error, 'NOT_FOUND')) return undefined;
    throw error;
  }
}
