import {
  startTransition,
  useEffect,
  useEffectEvent,
  useLayoutEffect,
  useRef,
  useState,
  type RefObject,
} from 'react';
import { useIsPrinting } from './use-is-printing.ts';
import { assumedHeight, FIRST_GUESS, spanOf, type Span } from './row-window.ts';

/** Most rows of a table that is rendered whole. */
export const WHOLE_ROWS = 150;
/** Rows that a new table shows in its first frame: more than a screen has. */
const FIRST_ROWS = 32;
const NO_HEIGHTS: readonly number[] = [];

/** The rows to render, by index, and the heights of all rows in pixels. */
export interface RowWindow extends Span {
  /** Assumed height of a row with an unknown height. */
  readonly guess: number;
  readonly heights: readonly (number | undefined)[];
}

const wholeOf = (count: number): RowWindow => ({ from: 0, to: count, guess: 0, heights: NO_HEIGHTS });

/** Returns whether a new table still shows its first rows only. The others follow once the first ones are painted. */
function useFirstRows(count: number): boolean {
  const [isFirst, setFirst] = useState(count > FIRST_ROWS);
  useEffect(() => {
    if (!isFirst) return undefined;
    let frame = requestAnimationFrame(() => {
      frame = requestAnimationFrame(() => startTransition(() => setFirst(false)));
    });
    return () => cancelAnimationFrame(frame);
  }, [isFirst]);
  return isFirst;
}

/**
 * Returns which of many rows are near the screen; only these are rendered, and all on paper. `body` contains a `tr` with its index in
 * `data-row` for each rendered row. Rows may differ in height: each is measured when rendered.
 */
export function useRowWindow(body: RefObject<HTMLTableSectionElement | null>, count: number): RowWindow {
  const isWhole = count <= WHOLE_ROWS;
  const isFirst = useFirstRows(count);
  const isPrinting = useIsPrinting();
  const heights = useRef<number[]>([]);
  const [shown, setShown] = useState<RowWindow>(() => ({ ...wholeOf(0), to: Math.min(count, FIRST_ROWS) }));
  const look = useEffectEvent(() => {
    if (body.current === null) return;
    const top = -body.current.getBoundingClientRect().top;
    const guess = assumedHeight(heights.current);
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
    // Rows lower than assumed may leave empty space on the screen: look again.
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
  if (isPrinting) return wholeOf(count);
  if (!isWhole) return shown;
  return isFirst ? { ...wholeOf(Math.min(count, FIRST_ROWS)), guess: FIRST_GUESS } : wholeOf(count);
}
