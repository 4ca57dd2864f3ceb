import { defaultLogOrigin, toHex } from '@sentinel-node/contracts';
import { ConfigError, PURPOSES, purposeKey } from '@sentinel-node/platform';
import type { BlockHeaders, Config, Ledger, Log, Metrics, Shared } from '@sentinel-node/platform';
import { createArcLedger, createDevLedger } from '@sentinel-node/platform/ledger';
import type { ArcEndpoint, DevLedgerOptions } from '@sentinel-node/platform/ledger';
import type { AnchoringDeps } from './create-anchoring.ts';
import { confirmedFunding } from './funds/imported-outputs.ts';
import { anchoringKeyOf } from './ledger/anchoring-key.ts';
import { ledgerAlarms } from './ledger/ledger-alarms.ts';

/** Whose blocks a real ledger's transactions are in. */
export interface LedgerChain {
  /** `main` or `test`. */
  readonly network: string;
  readonly headers: BlockHeaders;
}

type Parts = Pick<
  AnchoringDeps,
  'ledger' | 'anchoringKey' | 'origin' | 'categoryIntervalSeconds' | 'callbackToken'
>;

/**
 * Ledger, keys and names that the configuration asks for.
 * @throws ConfigError for an ARC service without `chain`, and for a key that is none
 */
export function ledgerParts(shared: Shared, chain?: LedgerChain): Parts {
  const { config, secrets, logKey } = shared;
  const { masterSecret } = secrets;
  const isDev = config.ledger.kind === 'dev';
  const callbackToken = isDev ? undefined : toHex(purposeKey(masterSecret, PURPOSES.ledgerCallback));
  return {
    ledger: ledgerOf(config, { ...shared, callbackToken }, chain),
    anchoringKey:
      config.ledger.kind === 'dev'
        ? toHex(purposeKey(masterSecret, PURPOSES.devLedger))
        : anchoringKeyOf(config.ledger.fundingKey),
    origin: config.logOrigin ?? defaultLogOrigin(logKey.logId),
    categoryIntervalSeconds: config.categoryIntervalSeconds,
    ...(callbackToken !== undefined && { callbackToken }),
  };
}

interface LedgerPorts extends DevLedgerOptions {
  readonly log?: Log;
  readonly metrics?: Metrics;
  /** Absent: the ledger's service is not asked to report. */
  readonly callbackToken?: string | undefined;
}

/** @throws ConfigError for an ARC service without the headers of its network */
export function ledgerOf(config: Pick<Config, 'ledger'>, ports: LedgerPorts, chain?: LedgerChain): Ledger {
  const { ledger } = config;
  if (ledger.kind === 'dev') return createDevLedger(ports);
  const [first, ...others] = ledger.endpoints satisfies readonly ArcEndpoint[];
  if (chain === undefined || first === undefined) {
    const message = 'an ARC service needs the block headers of its network, which are not configured';
    throw new ConfigError([{ variable: 'SENTINEL_LEDGER', message }]);
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
