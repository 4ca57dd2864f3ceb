import { shownDateTime } from '@sentinel-node/contracts';

/** The most seconds whose text is kept: the events of a page share seconds, and formatting is slow. */
const KEPT_TEXTS = 10_000;

/**
 * Returns `shownDateTime` of one zone, cached by second. @throws RangeError for an unknown zone
 * @boundedBy KEPT_TEXTS, for one export
 */
export function shownDateTimeIn(timeZone: string): (ms: number) => string {
  const kept = new Map<number, string>();
  shownDateTime(new Date(0).toISOString(), timeZone);
  return (ms) => {
    const second = Math.floor(ms / 1_000);
    const known = kept.get(second);
    if (known !== undefined) return known;
    if (kept.size >= KEPT_TEXTS) kept.clear();
    const text = shownDateTime(new Date(ms).toISOString(), timeZone);
    kept.set(second, text);
    return text;
  };
}
