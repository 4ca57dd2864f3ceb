/** Keeps the page responsive during a long check: the check pauses for a moment every few milliseconds. */

const SLICE_MS = 12;

export interface Pace {
  /** Gives the page a turn when the slice of time is used up. @throws the reason with which `signal` was aborted */
  readonly step: () => Promise<void>;
}

/** @param pause resolves after the page had its turn; @param now the time in milliseconds */
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
