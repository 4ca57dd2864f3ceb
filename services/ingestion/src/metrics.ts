import type { Metrics } from '@sentinel-node/platform';
import type { Backlog } from './backlog.ts';
import type { Bodies } from './bodies.ts';
import type { DeviceCache } from './device-cache.ts';
import { INGESTION_POOLS } from './pools.ts';
import type { FreshnessProbe } from './freshness-probe.ts';

const MS_PER_SECOND = 1_000;
const CODES = [
  'ACCEPTED',
  'NOT_FOUND',
  'MONITORING_DISABLED',
  'PAYLOAD_TOO_LARGE',
  'VALIDATION_FAILED',
  'SEQUENCE_AHEAD',
  'RATE_LIMITED',
  'OVERLOADED',
  'NOT_DURABLE',
] as const;

/** Seconds, from a flush of the fastest disk to the time-out of an agent. */
const APPEND_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 10];

export interface IngestionMetrics {
  /** `code` is ACCEPTED, or the code of the refusal. */
  readonly reports: (labels: { readonly code: string }, by?: number) => void;
  readonly appendSeconds: (labels: object, seconds: number) => void;
  readonly heartbeats: (labels: object) => void;
}

/** Parts that the metrics look at when they are read. */
interface Observed {
  readonly bodies: Bodies;
  readonly cache: DeviceCache;
  readonly freshness: FreshnessProbe;
  readonly backlog: Backlog;
}

export function ingestionMetrics(
  metrics: Metrics,
  { bodies, cache, freshness, backlog }: Observed,
): IngestionMetrics {
  metrics.pool(INGESTION_POOLS['bulk-bodies'], () => bodies.bulk.used);
  metrics.pool(INGESTION_POOLS['small-bodies'], () => bodies.small.used);
  metrics.pool(INGESTION_POOLS['bodies-unpacked'], () => bodies.unpacking.used);
  metrics.pool(INGESTION_POOLS['report-appends'], () => bodies.appends.used);
  metrics.pool(INGESTION_POOLS['bodies-arriving'], () => bodies.pace.size);
  if (backlog.isLimited) metrics.pool(INGESTION_POOLS['waiting-reports'], () => backlog.waiting);
  metrics.pool(INGESTION_POOLS['device-reads'], () => cache.waitingReads);
  metrics.observedGauge(
    { name: 'ingestion_cached_devices', help: 'Devices in the cache of devices' },
    () => cache.size,
  );
  metrics.observedGauge(
    {
      name: 'ingestion_registry_unproven_seconds',
      help: 'Time since all changes of the registry were last known to be heard; from 5 on devices are read from the store',
    },
    () => freshness.ageMs / MS_PER_SECOND,
  );
  return {
    reports: metrics.counter<'code'>({
      name: 'ingestion_reports_total',
      help: 'Reports by outcome, lines of bulk bodies included; a bulk body that is refused whole counts as one',
      labels: { code: CODES },
    }),
    appendSeconds: metrics.histogram({
      name: 'ingestion_append_seconds',
      help: 'Time until an append of reports was durable',
      buckets: APPEND_BUCKETS,
    }),
    heartbeats: metrics.counter({ name: 'ingestion_heartbeats_total', help: 'Heartbeats taken' }),
  };
}
