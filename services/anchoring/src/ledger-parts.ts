import { defaultLogOrigin, toHex } from '@sentinel-node/contracts';
import { ConfigError, PURPOSES, purposeKey } from '@sentinel-node/platform';
import type { Config, Ledger, Shared } from '@sentinel-node/platform';
import { createDevLedger, type DevLedgerOptions } from '@sentinel-node/platform/ledger';
import type { AnchoringDeps } from './create-anchoring.ts';
import { readWitnessPolicy } from './witnesses/read-policy.ts';

/**
 * Ledger, key and names that the configuration asks for.
 * @throws ConfigError for an ARC service, whose adapter does not exist yet, and for a policy that cannot be used
 */
export function ledgerParts(
  shared: Shared,
): Pick<AnchoringDeps, 'ledger' | 'anchoringKey' | 'origin' | 'categoryIntervalSeconds' | 'witnessPolicy'> {
  const { config, secrets, logKey } = shared;
  const origin = config.logOrigin ?? defaultLogOrigin(logKey.logId);
  return {
    ledger: ledgerOf(config, shared),
    anchoringKey: toHex(purposeKey(secrets.masterSecret, PURPOSES.devLedger)),
    origin,
    witnessPolicy: readWitnessPolicy(config.witnessPolicy, origin, logKey.publicKey),
    categoryIntervalSeconds: config.categoryIntervalSeconds,
  };
}

/** @throws ConfigError for an ARC service, whose adapter does not exist yet */
export function ledgerOf(config: Pick<Config, 'ledger'>, ports: DevLedgerOptions): Ledger {
  if (config.ledger.kind === 'dev') return createDevLedger(ports);
  const message = 'an ARC service is not available in this version yet; unset it';
  throw new ConfigError([{ variable: 'SENTINEL_LEDGER', message }]);
}
