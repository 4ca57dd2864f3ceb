import { deviceStream, uuidV7, type DeviceEntity } from '@sentinel-node/contracts';
import {
  loadStream,
  RateLimiter,
  Refusals,
  type Clock,
  type Config,
  type DocumentStore,
  type EventLog,
  type Log,
  type Metrics,
  type Random,
  type Timers,
} from '@sentinel-node/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { BodyBudget } from './body-budget.ts';
import { DeviceKeys } from './device-keys.ts';
import { Devices } from './devices.ts';
import { OncePer } from './domain/once-per.ts';
import { AgentInstances } from './domain/two-agents.ts';
import type { Stamp } from './domain/notices.ts';
import { INGESTION_LIMITS, type IngestionLimits } from './limits.ts';
import { ingestionMetrics, type IngestionMetrics } from './metrics.ts';
import { Nonces } from './nonces.ts';
import { PolicyCache } from './policy-cache.ts';
import { RegistryBeat } from './registry-beat.ts';
import { RegistryNews } from './registry-news.ts';
import { Slabs } from './slabs.ts';

export interface IngestionDeps {
  readonly config: Pick<Config, 'publicUrl' | 'limits'>;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Pick<Timers, 'every'>;
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  readonly secrets: { readonly masterSecret: string };
  /** Sets `request.caller` from the token and counts the call, or throws ApiError; only where the same process hosts query. */
  readonly memberAuth?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  readonly limits?: Partial<IngestionLimits>;
}

/** What the calls of the agent work with. */
export interface Core {
  readonly deps: IngestionDeps;
  readonly limits: IngestionLimits;
  readonly devices: Devices;
  readonly cache: PolicyCache;
  readonly keys: DeviceKeys;
  readonly news: RegistryNews;
  readonly beat: RegistryBeat;
  readonly bodies: BodyBudget;
  readonly reportRate: RateLimiter;
  readonly callRate: RateLimiter;
  readonly nonces: Nonces;
  /** Memory for records, shared by all requests: a slab of its own would be most of what a small body costs. */
  readonly allocate: (bytes: number) => Buffer;
  readonly malformed: OncePer;
  readonly agents: AgentInstances;
  readonly twoAgents: OncePer;
  readonly counts: IngestionMetrics;
  /** Agents' address. */
  readonly sentinelAddress: string;
}

const NOTICE_ID_RANDOM_BYTES = 10;
const SECONDS_PER_MINUTE = 60;

export function createCore(deps: IngestionDeps): Core {
  const { clock, config, eventLog, log, metrics, random, secrets, store, timers } = deps;
  const limits = { ...INGESTION_LIMITS, ...deps.limits };
  const load = (deviceId: string) => loadStream<DeviceEntity>(store, deviceStream(deviceId));
  const cache = new PolicyCache({ load, clock, limits });
  const keys = new DeviceKeys(secrets.masterSecret, 2 * limits.cachedDevices);
  const refusals = new Refusals({ perMinute: config.limits.userCallsPerMinute, clock });
  const news = new RegistryNews(eventLog, cache, log);
  const beat = new RegistryBeat({ store, news, cache, clock, timers, log, limits });
  const bodies = new BodyBudget(limits.bodyBytesInFlight);
  const slabs = new Slabs();
  const reports = {
    perSecond: config.limits.deviceReportsPerSecond,
    burst: config.limits.deviceReportsBurst,
  };
  const calls = {
    perSecond: limits.deviceCallsPerMinute / SECONDS_PER_MINUTE,
    burst: limits.deviceCallsPerMinute,
  };
  return {
    deps,
    limits,
    cache,
    keys,
    news,
    beat,
    bodies,
    devices: new Devices({ cache, keys, clock, hearing: () => beat.proven, refusals }),
    reportRate: new RateLimiter({ limit: reports, clock }),
    callRate: new RateLimiter({ limit: calls, clock }),
    nonces: new Nonces(random),
    allocate: (size) => slabs.take(size),
    malformed: new OncePer(limits.malformedEveryMs, limits.malformedFiles),
    agents: new AgentInstances(limits.agentDevices),
    twoAgents: new OncePer(limits.twoAgentsEveryMs, limits.agentDevices),
    counts: ingestionMetrics(metrics, bodies, cache, beat),
    sentinelAddress: `${config.publicUrl}/api/v1`,
  };
}

export function noticeStamp({ deps, nonces }: Core, nowMs: number): Stamp {
  return { nowMs, nonce: nonces.next(), noticeId: uuidV7(nowMs, deps.random.bytes(NOTICE_ID_RANDOM_BYTES)) };
}
