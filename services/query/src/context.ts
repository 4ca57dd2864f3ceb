/** The context of every feature: the ports and settings of the service, and the parts that features share. */
import { deviceApiKey, PURPOSES, purposeKey, type StreamCommit } from '@sentinel-node/platform';
import type { QueryDeps } from './deps.ts';
import { ExportGate } from './exports/index.ts';
import { MailLimits } from './mail/mail-limits.ts';
import type { MailOutbox } from './mail/outbox.ts';
import { Quotas } from './storage/quotas.ts';
import { Reservations } from './storage/reservations.ts';
import type { DeviceView } from './views/index.ts';

export interface QueryContext extends QueryDeps {
  readonly reservations: Reservations;
  /** Places of what an organisation has a limited number of. */
  readonly quotas: Quotas;
  /** Mails that wait for the mail server. */
  readonly mail: MailOutbox;
  readonly mailLimits: MailLimits;
  /** Publishes a commit and makes it readable; resolves when a read shows it. */
  readonly settle: (commit: StreamCommit) => Promise<void>;
  /** Exports under way. */
  readonly exports: ExportGate;
  /** Derives the key on each call; no view stores the key. */
  readonly apiKeyOf: (device: Pick<DeviceView, 'orgId' | 'id' | 'keyVersion'>) => string;
  /** Base URL of the agents' calls; ends in /api/v1. */
  readonly sentinelAddress: string;
}

export function queryContext(deps: QueryDeps, parts: Pick<QueryContext, 'mail' | 'settle'>): QueryContext {
  const { config, secrets } = deps;
  const key = purposeKey(secrets.masterSecret, PURPOSES.deviceApiKeys);
  return {
    ...deps,
    ...parts,
    reservations: new Reservations(deps.store, deps.clock),
    quotas: new Quotas(deps),
    mailLimits: new MailLimits(deps.store, deps.clock, config.limits),
    exports: new ExportGate(deps.metrics),
    apiKeyOf: ({ orgId, id, keyVersion }) => deviceApiKey(key, orgId, id, keyVersion),
    sentinelAddress: `${config.publicUrl}/api/v1`,
  };
}
