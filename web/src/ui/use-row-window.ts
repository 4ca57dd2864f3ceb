import { useEffect, useEffectEvent, useLayoutEffect, useRef, useState, type RefObject } from 'react';
import { guessOf, spanOf, type Span } from './row-window.ts';

/** A table with fewer rows is shown whole. */
export const WHOLE_ROWS = 150;
const NO_HEIGHTS: readonly number[] = [];

/** The rows to show, by index, and the room (px) of those that are not. */
export interface RowWindow extends Span {
  /** Of a row whose height is not known. */
  readonly guess: number;
  readonly heights: readonly (number | undefined)[];
}

const wholeOf = (count: number): RowWindow => ({ from: 0, to: count, guess: 0, heights: NO_HEIGHTS });

/**
 * Which of many rows are near the screen; the others are not in the page. `body` holds a `tr` with `data-row`, its index,
 * for each row that is shown. Rows may differ in height: each is measured when it is shown.
 */
export function useRowWindow(body: RefObject<HTMLTableSectionElement | null>, count: number): RowWindow {
  const isWhole = count <= WHOLE_ROWS;
  const heights = useRef<number[]>([]);
  const [shown, setShown] = useState<RowWindow>(() => ({ ...wholeOf(0), to: Math.min(count, WHOLE_ROWS) }));
  const look = useEffectEvent(() => {
    if (body.current === null) return;
    const top = -body.current.getBoundingClientRect().top;
    const guess = guessOf(heights.current);
    const place = { heights: heights.current, guess, count, top, height: innerHeight };
    setShown((old) => {
      const { from, to } = spanOf(place, old);
      const isSame = old.from === from && old.to === to && old.heights === heights.current;
      return isSame ? old : { from, to, guess, heights: heights.current };
    });
  });
  const { from, to } = shown;
  useLayoutEffect(() => {
    if (isWhole) return;
    for (const row of body.current?.rows ?? []) {
      const index = Number(row.dataset['row'] ?? -1);
      if (index >= 0) heights.current[index] = row.offsetHeight;
    }
  }, [body, isWhole, from, to]);
  useLayoutEffect(() => {
    if (!isWhole) look();
  }, [isWhole, count]);
  useEffect(() => {
    if (isWhole) return undefined;
    const moved = (): void => look();
    // Rows that turned out lower than they were thought to be may leave room on the screen.
    const settled = requestAnimationFrame(moved);
    const resized = (): void => {
      heights.current = [];
      look();
    };
    addEventListener('scroll', moved, { passive: true });
    addEventListener('resize', resized);
    return () => {
      cancelAnimationFrame(settled);
      removeEventListener('scroll', moved);
      removeEventListener('resize', resized);
    };
  }, [isWhole, from, to]);
  return isWhole ? wholeOf(count) : shown;
}
