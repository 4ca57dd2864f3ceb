/**
 * Computes which rows of a long table are near the screen. Pure; heights in pixels, `undefined` for rows never shown.
 */

/** Rows from `from` to before `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Rows rendered beyond the screen on each side, for a key or a turn of the wheel. */
const BEYOND = 12;
/**
 * A window begins and ends at a multiple of this number of rows, so that not every scrolled pixel changes the table.
 */
const STEP = 8;
/**
 * Rows beyond the screen with which a window stays unchanged, so that measuring rows does not move it back and forth.
 */
const STAYS = 4;
/** Assumed height of a row while none is known. */
export const FIRST_GUESS = 44;

/** Returns the assumed height of a row not shown yet: the mean of the known heights, in whole pixels. */
export function assumedHeight(heights: readonly (number | undefined)[]): number {
  let [sum, known] = [0, 0];
  for (const height of heights) {
    if (height === undefined) continue;
    sum += height;
    known++;
  }
  return known === 0 ? FIRST_GUESS : Math.max(1, Math.round(sum / known));
}

interface Place {
  readonly heights: readonly (number | undefined)[];
  readonly guess: number;
  readonly count: number;
  /** Distance of the screen's top below the first row's top. */
  readonly top: number;
  /** Height of the screen. */
  readonly height: number;
}

/** Returns the rows to render. @param held the present window, returned again while it suffices */
export function spanOf({ heights, guess, count, top, height }: Place, held?: Span): Span {
  let at = 0;
  let first = 0;
  while (first < count && at + (heights[first] ?? guess) <= top) at += heights[first++] ?? guess;
  let last = first;
  while (last < count && at < top + height) at += heights[last++] ?? guess;
  if (held !== undefined && reaches(held, { from: first - STAYS, to: last + STAYS }, count)) return held;
  const from = Math.max(0, Math.floor((Math.min(first, count - 1) - BEYOND) / STEP) * STEP);
  return { from, to: Math.min(count, Math.ceil((last + BEYOND) / STEP) * STEP) };
}

const reaches = (held: Span, { from, to }: Span, count: number): boolean =>
  held.from <= Math.max(0, from) && held.to >= Math.min(count, to) && held.to <= count;

/** Returns the height of the rows `from` to before `to`. */
export function roomOf({ heights, guess }: Pick<Place, 'heights' | 'guess'>, { from, to }: Span): number {
  let room = 0;
  for (let at = from; at < to; at++) room += heights[at] ?? guess;
  return room;
}

/** Returns the window and, in order, a focused row outside of it, which must stay. */
export function renderedSpans({ from, to }: Span, kept: number): Span[] {
  if (kept < 0 || (kept >= from && kept < to)) return [{ from, to }];
  const alone = { from: kept, to: kept + 1 };
  return kept < from ? [alone, { from, to }] : [{ from, to }, alone];
}
