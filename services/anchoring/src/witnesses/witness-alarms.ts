import type { Clock, Log, Metrics } from '@sentinel-node/platform';

const OUTCOMES = ['signed', 'size', 'refused', 'away', 'invalid', 'ahead'] as const;

/** Reports events of witnesses to operators, in the log and as metrics. Witnesses are named as in the policy. */
export interface WitnessAlarms {
  signed(witness: string): void;
  /** Reports that the witness answered with its size. */
  answered(witness: string): void;
  /**
   * Reports a missing signature. INVALID: the witness signed something else. AHEAD: the witness has seen more batches
   * than the log has, so the log was cut short.
   */
  signatureMissing(
    witness: string,
    outcome: 'REFUSED' | 'AWAY' | 'INVALID' | 'AHEAD',
    why: string,
    retryMs: number,
  ): void;
  /** @param sinceMs time since when something of the witness is missing; later than now when nothing is */
  lagging(witness: string, batches: number, sinceMs: number): void;
}

export function createWitnessAlarms(
  log: Log,
  metrics: Metrics | undefined,
  witnesses: readonly string[],
  clock: Clock,
): WitnessAlarms {
  const offers = metrics?.counter({
    name: 'anchoring_witness_offers_total',
    help: 'Checkpoints offered to a witness, by its answer.',
    labels: { witness: witnesses, outcome: OUTCOMES },
  });
  const batches = metrics?.gauge({
    name: 'anchoring_witness_behind_batches',
    help: 'Batches that the witness has not cosigned.',
    labels: { witness: witnesses },
  });
  /** Time (ms) since when something of each witness is missing. @boundedBy witnesses of the policy */
  const since = new Map<string, number>();
  // By the clock of each look at the metrics: while nothing is offered, as after a contradiction, what is missing grows older.
  const secondsOf = ([witness, ms]: [string, number]): [string, number] => [
    witness,
    Math.max(0, clock.now() - ms) / 1_000,
  ];
  metrics?.observedTop(
    {
      name: 'anchoring_witness_behind_seconds',
      help: 'Since the first batch that the witness has not cosigned, or since the newest one was to be cosigned again.',
      labels: { witness: witnesses.length },
    },
    () => [...since].map(secondsOf),
  );
  return {
    signed: (witness) => offers?.({ witness, outcome: 'signed' }),
    answered: (witness) => offers?.({ witness, outcome: 'size' }),
    signatureMissing: (witness, outcome, why, retryMs) => {
      offers?.({ witness, outcome: outcome.toLowerCase() });
      const said = { witness, outcome, why, retryMs };
      if (outcome === 'AWAY') log.warn(said, 'the witness does not answer');
      else log.error(said, 'the witness does not cosign the log');
    },
    lagging: (witness, count, sinceMs) => {
      batches?.({ witness }, count);
      since.set(witness, sinceMs);
    },
  };
}
