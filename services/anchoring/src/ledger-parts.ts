import { defaultLogOrigin, toHex } from '@sentinel-node/contracts';
import { ConfigError, PURPOSES, purposeKey, silentLog } from '@sentinel-node/platform';
import type { Config, Ledger, Log, Metrics, Shared } from '@sentinel-node/platform';
import { createArcLedger, createBlockHeaders, createDevLedger } from '@sentinel-node/platform/ledger';
import type { ArcEndpoint, DevLedgerOptions } from '@sentinel-node/platform/ledger';
import type { AnchoringDeps } from './create-anchoring.ts';
import { confirmedFunding } from './funds/imported-outputs.ts';
import { anchoringKeyOf } from './ledger/anchoring-key.ts';
import type { LedgerChain } from './ledger/ledger-chain.ts';
import { ledgerAlarms } from './ledger/ledger-alarms.ts';
import { readWitnessPolicy } from './witnesses/read-policy.ts';

type Parts = Pick<
  AnchoringDeps,
  'ledger' | 'anchoringKey' | 'origin' | 'categoryIntervalSeconds' | 'callbackToken' | 'witnessPolicy'
>;

/**
 * Builds ledger, keys and names from the configuration.
 * @throws ConfigError for an ARC service without the headers of its network, and for an invalid key or policy
 */
export function ledgerParts(shared: Shared): Parts {
  const { config, secrets, logKey } = shared;
  const { masterSecret } = secrets;
  const isDev = config.ledger.kind === 'dev';
  const origin = config.logOrigin ?? defaultLogOrigin(logKey.logId);
  const callbackToken = isDev ? undefined : toHex(purposeKey(masterSecret, PURPOSES.ledgerCallback));
  return {
    ledger: ledgerOf(config, { ...shared, callbackToken }),
    anchoringKey: keyOf(config, masterSecret),
    origin,
    witnessPolicy: readWitnessPolicy(config.witnessPolicy, origin, logKey.publicKey),
    categoryIntervalSeconds: config.categoryIntervalSeconds,
    ...(callbackToken !== undefined && { callbackToken }),
  };
}

/** Returns the key that pays for anchors, 32 bytes in hex. @throws ConfigError for an invalid key */
export function keyOf({ ledger }: Pick<Config, 'ledger'>, masterSecret: string): string {
  return ledger.kind === 'dev'
    ? toHex(purposeKey(masterSecret, PURPOSES.devLedger))
    : anchoringKeyOf(ledger.fundingKey);
}

/** Returns the chain of a real ledger; undefined without configured headers. */
export function chainOf({ headers: wanted }: Pick<Config, 'headers'>, ports: LedgerPorts) {
  if (wanted === undefined) return undefined;
  const { store, clock, timers, log = silentLog(), metrics, isReader = false } = ports;
  const given = { store, clock, timers, log, isReader, ...(metrics && { metrics }) };
  const headers = createBlockHeaders({ ...wanted, ...given });
  return { network: wanted.network, headers };
}

interface LedgerPorts extends DevLedgerOptions {
  readonly log?: Log;
  readonly metrics?: Metrics;
  /** When absent, the ledger's service is not asked for reports. */
  readonly callbackToken?: string | undefined;
  /** When true, no block header is written, because a service beside this process does. */
  readonly isReader?: boolean;
}

/**
 * Returns the ledger.
 * @param chain the chain of a real ledger. Default: from the configuration
 * @throws ConfigError for an ARC service without the headers of its network
 */
export function ledgerOf(
  config: Pick<Config, 'ledger' | 'headers'>,
  ports: LedgerPorts,
  chain: LedgerChain | undefined = chainOf(config, ports),
): Ledger {
  const { ledger } = config;
  if (ledger.kind === 'dev') return createDevLedger(ports);
  const [first, ...others] = ledger.endpoints satisfies readonly ArcEndpoint[];
  if (chain === undefined || first === undefined) {
    const message = 'is needed: an ARC service does not say which blocks count';
    throw new ConfigError([{ variable: 'SENTINEL_HEADERS', message }]);
  }
  const { callbackUrl: url } = ledger;
  const { callbackToken: token, store, clock, log, metrics } = ports;
  const { network, headers } = chain;
  return createArcLedger({
    network,
    headers,
    clock,
    endpoints: [first, ...others],
    callback: url === undefined || token === undefined ? undefined : { url, token },
    funding: (publicKeyHash) => confirmedFunding(store, { network, headers }, publicKeyHash),
    onAlarm: ledgerAlarms(log, metrics),
  });
}
