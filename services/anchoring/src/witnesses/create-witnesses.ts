import type { WitnessPolicy } from '@sentinel-node/contracts';
import type { EventLog, Log, Metrics } from '@sentinel-node/platform';
import { CosignaturePublisher } from './cosignature-publisher.ts';
import { Offers, type OfferedWitness, type OffersDeps } from './offers.ts';
import { createWitnessAlarms } from './witness-alarms.ts';

export interface WitnessesDeps extends Omit<OffersDeps, 'alarms'> {
  readonly log: Log;
  readonly metrics?: Metrics | undefined;
  readonly eventLog: EventLog;
  readonly witnessPolicy?: WitnessPolicy | undefined;
}

export interface Witnesses {
  /** Steps that repeat independently, so that a witness that hangs does not delay the others. */
  readonly steps: readonly (() => Promise<void>)[];
  /** Aborts running calls; no more begin. */
  end(): void;
}

/** Returns the steps for the policy's witnesses; none without a policy. */
export function createWitnesses(deps: WitnessesDeps): Witnesses {
  const { witnessPolicy: policy, log, metrics } = deps;
  if (policy === undefined) return { steps: [], end: () => undefined };
  const reachable = policy.witnesses.filter((one): one is OfferedWitness => one.url !== undefined);
  const alarms = createWitnessAlarms(
    log,
    metrics,
    reachable.map(({ name }) => name),
    deps.clock,
  );
  const offers = reachable.map((witness) => new Offers({ ...deps, alarms }, witness));
  const publisher = new CosignaturePublisher(deps);
  return {
    steps: [...offers.map((one) => () => one.step()), () => publisher.step()],
    end: () => {
      for (const one of offers) one.end();
    },
  };
}
