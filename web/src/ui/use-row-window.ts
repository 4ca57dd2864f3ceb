import { useCallback, useEffect, useLayoutEffect, useRef, useState, type RefObject } from 'react';
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
  const look = useCallback(() => {
    if (body.current === null) return;
    const top = -body.current.getBoundingClientRect().top;
    const guess = guessOf(heights.current);
    const { from, to } = spanOf({ heights: heights.current, guess, count, top, height: innerHeight });
    setShown((old) =>
      old.from === from && old.to === to && old.guess === guess
        ? old
        : { from, to, guess, heights: heights.current },
    );
  }, [body, count]);
  const { from, to } = shown;
  useLayoutEffect(() => {
    if (isWhole) return;
    for (const row of body.current?.rows ?? []) {
      const index = Number(row.dataset['row'] ?? -1);
      if (index >= 0) heights.current[index] = row.offsetHeight;
    }
    look();
  }, [body, isWhole, look, from, to]);
  useEffect(() => {
    if (isWhole) return undefined;
    const resized = (): void => {
      heights.current = [];
      look();
    };
    addEventListener('scroll', look, { passive: true });
    addEventListener('resize', resized);
    return () => {
      removeEventListener('scroll', look);
      removeEventListener('resize', resized);
    };
  }, [isWhole, look]);
  return isWhole ? wholeOf(count) : shown;
}
