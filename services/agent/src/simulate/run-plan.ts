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

export interface PlanResult extends SimulationResult {
  /** Number of new versions of the plan, and how many of them were made. `made` counts the hourly reports, too. */
  readonly planned: number;
  readonly plannedMade: number;
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

/** Returns the number of new versions that a plan makes in its time. */
export const plannedVersions = ({
  ratePerSecond,
  seconds,
}: Pick<Plan, 'ratePerSecond' | 'seconds'>): number => Math.floor(ratePerSecond * seconds);

/**
 * Makes reports as planned, waits for unsent reports, and stops the simulation.
 * @param signal ends making reports early @param ofWait is called when the wait begins, and returns the signal that ends it
 */
export async function runPlan(
  simulation: Simulation,
  plan: Plan,
  signal: AbortSignal,
  ofWait: () => AbortSignal,
): Promise<PlanResult> {
  const { ratePerSecond, seconds, drainSeconds, isOutage } = plan;
  await simulation.ready(READY_MS, signal);
  const began = performance.now();
  let [asked, plannedMade] = [0, 0];
  for (let elapsed = 0; elapsed < seconds * MS_PER_SECOND && !signal.aborted;) {
    await new Promise((resolve) => setTimeout(resolve, TICK_MS));
    elapsed = performance.now() - began;
    simulation.out = isOutage(elapsed);
    const due = Math.floor((Math.min(elapsed, seconds * MS_PER_SECOND) / MS_PER_SECOND) * ratePerSecond);
    plannedMade += simulation.make(due - asked);
    asked = due;
  }
  simulation.out = false;
  await simulation.drained(drainSeconds * MS_PER_SECOND, ofWait());
  const result = simulation.result();
  await simulation.stop();
  return { ...result, planned: plannedVersions(plan), plannedMade };
}
