/** Which rows of a long table are near the screen. Pure; heights are pixels, `undefined` for rows that were never shown. */

/** Rows from `from` to before `to`. */
export interface Span {
  readonly from: number;
  readonly to: number;
}

/** Rows beyond the screen that are shown too, so that a key or a turn of the wheel finds them there. */
const BEYOND = 12;
/** A window begins and ends at a multiple of this, so that not every pixel of scrolling changes the table. */
const STEP = 8;
/** A window stays while so many rows beyond the screen are in it: measuring its rows does not move it to and fro. */
const STAYS = 4;
const FIRST_GUESS = 44;

/** The height of a row that was not shown yet: the mean of the others, to whole pixels. */
export function guessOf(heights: readonly (number | undefined)[]): number {
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
  /** How far the screen's top is below the first row's. */
  readonly top: number;
  /** Of the screen. */
  readonly height: number;
}

/** @param held the window until now, which is given back while it will do */
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

/** Room for rows `from` to before `to`. */
export function roomOf({ heights, guess }: Pick<Place, 'heights' | 'guess'>, { from, to }: Span): number {
  let room = 0;
  for (let at = from; at < to; at++) room += heights[at] ?? guess;
  return room;
}

/** The window, and a row outside of it that has the focus and stays; in their order. */
export function spansWith({ from, to }: Span, kept: number): Span[] {
  if (kept < 0 || (kept >= from && kept < to)) return [{ from, to }];
  const alone = { from: kept, to: kept + 1 };
  return kept < from ? [alone, { from, to }] : [{ from, to }, alone];
}
