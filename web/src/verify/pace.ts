/** A page goes on answering while a long check runs: the check stops for a moment every few milliseconds. */

const SLICE_MS = 12;

export interface Pace {
  /** Waits for a turn of the page when the slice is used up. @throws what `signal` was aborted with */
  readonly step: () => Promise<void>;
}

/** @param pause resolves after the page had its turn; @param now milliseconds */
export function paceOf(signal: AbortSignal, pause: () => Promise<void>, now: () => number): Pace {
  let began = now();
  const step = async (): Promise<void> => {
    signal.throwIfAborted();
    if (now() - began < SLICE_MS) return;
    await pause();
    signal.throwIfAborted();
    began = now();
  };
  return { step };
}

export const nextTurn = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
