import type { Simulation, SimulationResult } from './simulation.ts';

export interface Plan {
  /** Reports per second of all agents together. */
  readonly ratePerSecond: number;
  readonly seconds: number;
  /** Longest wait at the end for unsent reports. */
  readonly drainSeconds: number;
  /** Returns whether there is an outage at this many ms after the start. */
  readonly isOutage: (elapsedMs: number) => boolean;
}

export interface Outage {
  readonly everySeconds: number;
  readonly forSeconds: number;
}

const MS_PER_SECOND = 1_000;
/** Interval of making reports, in ms. */
const TICK_MS = 20;
/** Longest wait for the first answers, in ms. */
const READY_MS = 60_000;

/** Returns a function for outages at the end of each period of `everySeconds`. */
export function outagesOf(outage: Outage | undefined): Plan['isOutage'] {
  if (outage === undefined) return () => false;
  const every = outage.everySeconds * MS_PER_SECOND;
  const begins = every - outage.forSeconds * MS_PER_SECOND;
  return (elapsedMs) => elapsedMs % every >= begins;
}

/**
 * Makes reports as planned, waits for unsent reports, and stops the simulation.
 * @param signal ends making reports early
 */
export async function runPlan(
  simulation: Simulation,
  { ratePerSecond, seconds, drainSeconds, isOutage }: Plan,
  signal: AbortSignal,
): Promise<SimulationResult> {
  await simulation.ready(READY_MS);
  const began = performance.now();
  let asked = 0;
  for (let elapsed = 0; elapsed < seconds * MS_PER_SECOND && !signal.aborted;) {
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    elapsed = performance.now() - began;
    simulation.out = isOutage(elapsed);
    const due = Math.floor((Math.min(elapsed, seconds * MS_PER_SECOND) / MS_PER_SECOND) * ratePerSecond);
    simulation.make(due - asked);
    asked = due;
  }
  simulation.out = false;
  await simulation.drained(drainSeconds * MS_PER_SECOND);
  const result = simulation.result();
  await simulation.stop();
  return result;
}
