import { useEffect } from 'react';
import { isHidden, onReturn } from '../api/on-return.ts';
import { isMoving, type DateChoice } from '../date-range.ts';
import { useNow } from './use-now.ts';

/** The server looks at contacts four times an hour; no frame tells of it. */
const EVERY_MS = 15 * 60_000;

/** Time between two reads of what changes by time or by calls of other programs, of which no frame tells. */
export const UNANNOUNCED_MS = 30_000;

/** Time between two reads of what is in a range of dates, for `useReadAgain`: from one that moves, things leave by time. */
export const readEveryMs = (date: DateChoice): number | undefined =>
  isMoving(date) ? UNANNOUNCED_MS : undefined;

/**
 * Calls `readAgain` again and again while somebody sees the page; at once when somebody sees it again after a longer time.
 * @param readAgain begins no read while one runs
 * @param everyMs time between two calls; default: four times an hour
 */
export function useReadAgain(readAgain: () => void, everyMs = EVERY_MS): void {
  useEffect(() => {
    let missed = false;
    const timer = setInterval(() => {
      missed = isHidden();
      if (!missed) readAgain();
    }, everyMs);
    const stop = onReturn(() => {
      if (!missed) return;
      missed = false;
      readAgain();
    });
    return () => {
      clearInterval(timer);
      stop();
    };
  }, [readAgain, everyMs]);
}

/**
 * Calls `readAgain` once a time of the server is over, and again each half minute until another time is given.
 * @param at what is read names it: by then it has changed, and no frame tells of it; undefined: no time
 */
export function useReadAfter(readAgain: () => void, at: string | undefined): void {
  const now = useNow(at !== undefined);
  const isOver = at !== undefined && now >= Date.parse(at);
  useEffect(() => {
    if (isOver) readAgain();
  }, [isOver, now, readAgain]);
}
