/** Keeps the page responsive during a long check: the check pauses for a moment every few milliseconds. */

const SLICE_MS = 12;

export interface Pace {
  /** Pauses for the page when the time slice is used up. @throws the reason with which `signal` was aborted */
  readonly step: () => Promise<void>;
}

/** Returns a pace. @param pause resolves after the page could react; @param now returns the time in ms */
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

export const yieldToPage = (): Promise<void> => new Promise((resolve) => setTimeout(resolve));
