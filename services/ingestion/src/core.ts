import { deviceStream, type DeviceEntity } from '@sentinel-node/contracts';
import {
  ClockWatch,
  KeyedThrottle,
  loadStream,
  RateLimiter,
  Refusals,
  type Clock,
  type Config,
  type DocumentStore,
  type EventLog,
  type Log,
  type LogKey,
  type Metrics,
  type Random,
  type Timers,
} from '@sentinel-node/platform';
import type { FastifyReply, FastifyRequest } from 'fastify';
import type { LineJudge } from './accept-line.ts';
import { durableAppend, type Append } from './append.ts';
import { Backlog } from './backlog.ts';
import { createBodies, type Bodies } from './bodies.ts';
import { BufferArena } from './buffer-arena.ts';
import { DeviceKeys } from './device-keys.ts';
import { Devices } from './devices.ts';
import { FreshnessProbe } from './freshness-probe.ts';
import { HealthFollower } from './health-follower.ts';
import { HeardDevices } from './heard-devices.ts';
import { INGESTION_LIMITS, type IngestionLimits } from './limits.ts';
import { ingestionMetrics, type IngestionMetrics } from './metrics.ts';
import { Nonces } from './nonces.ts';
import { learnHeartbeat, noticeEndedKey, noticeStamps, type AgentEventParts } from './notice.ts';
import { DeviceCache } from './device-cache.ts';
import { Receipts } from './receipts.ts';
import { SenderRates } from './sender-rates.ts';
import { RefusedFiles } from './refused-files.ts';
import { RegistryFollower } from './registry-follower.ts';

export interface IngestionDeps {
  readonly config: Pick<Config, 'publicUrl' | 'limits'>;
  readonly log: Log;
  readonly metrics: Metrics;
  readonly clock: Clock;
  readonly random: Random;
  readonly timers: Pick<Timers, 'every' | 'delay'>;
  readonly eventLog: EventLog;
  readonly store: DocumentStore;
  readonly secrets: { readonly masterSecret: string };
  /** Signs receipts. */
  readonly logKey: Pick<LogKey, 'logId' | 'sign'>;
  /**
   * Sets `request.caller` from the token and counts the call, or throws ApiError; only in a process that also hosts
   * query.
   */
  readonly memberAuth?: (request: FastifyRequest, reply: FastifyReply) => Promise<void>;
  readonly limits?: Partial<IngestionLimits>;
  /** Milliseconds of a clock that never goes back; default: the process's. */
  readonly elapsed?: () => number;
}

/** Checks senders and their rates before any body is read. */
export interface Admission {
  readonly devices: Devices;
  readonly bodies: Bodies;
  readonly reportRates: SenderRates;
  readonly backlog: Backlog;
  /** Rates of heartbeats and reads of the configuration. */
  readonly callRates: SenderRates;
}

/** Parts for reports, single or in bulk. */
export interface ReportParts extends Admission {
  readonly judge: LineJudge;
  readonly append: Append;
  readonly receipts: Receipts;
  readonly counts: Pick<IngestionMetrics, 'reports'>;
}

export interface BulkParts extends ReportParts {
  readonly allocate: (bytes: number) => Uint8Array;
  readonly limits: IngestionLimits;
}

export interface HeartbeatParts extends Admission, AgentEventParts {
  readonly clock: Clock;
  readonly eventLog: Pick<EventLog, 'append'>;
  readonly store: Pick<DocumentStore, 'getMany'>;
  readonly refusedFiles: RefusedFiles;
  readonly clockWatch: ClockWatch;
  /** Names this process in the ids of heartbeats. */
  readonly processName: string;
  readonly counts: Pick<IngestionMetrics, 'heartbeats'>;
}

export interface ConfigurationParts extends Admission {
  readonly keys: DeviceKeys;
  readonly memberAuth: IngestionDeps['memberAuth'];
  /** Address for agents. */
  readonly sentinelAddress: string;
}

/** Parts of the agents' routes, by route, and the parts that run beside them. */
export interface Core {
  readonly reports: BulkParts;
  readonly heartbeats: HeartbeatParts;
  readonly configuration: ConfigurationParts;
  readonly follower: RegistryFollower;
  readonly freshness: FreshnessProbe;
  readonly refusedFiles: RefusedFiles;
  readonly clockWatch: ClockWatch;
  readonly healthFollower: HealthFollower;
}

const SECONDS_PER_MINUTE = 60;
const PROCESS_NAME_CHARACTERS = 8;

export function createCore(deps: IngestionDeps): Core {
  const { clock, config, eventLog, log, memberAuth, metrics, random, secrets, store, timers } = deps;
  const limits = { ...INGESTION_LIMITS, ...deps.limits };
  const load = (deviceId: string) => loadStream<DeviceEntity>(store, deviceStream(deviceId));
  const cache = new DeviceCache({ load, clock, limits });
  const keys = new DeviceKeys(secrets.masterSecret, 2 * limits.cachedDevices);
  const follower = new RegistryFollower(eventLog, cache, log);
  const freshness = new FreshnessProbe({ store, follower, cache, clock, timers, log, limits });
  const bodies = createBodies(limits);
  const backlog = new Backlog({ eventLog, log, limit: config.limits.waitingReports });
  const counts = ingestionMetrics(metrics, { bodies, cache, freshness, backlog });
  const append = durableAppend(eventLog, bodies.appends, backlog, counts.appendSeconds);
  const nonces = new Nonces(random);
  const stamp = noticeStamps(nonces, random);
  const throttles = throttlesOf(limits);
  const endedKeyParts = { clock, stamp, append, endedKeys: throttles.endedKeys };
  const devices = new Devices({
    cache,
    keys,
    clock,
    isFresh: () => freshness.isFresh,
    /** @pool refused-keys */
    refusals: new Refusals({ perMinute: config.limits.userCallsPerMinute, clock }),
    /** @pool ended-keys */
    endedRefusals: new RateLimiter({
      limit: {
        perSecond: limits.deviceCallsPerMinute / SECONDS_PER_MINUTE,
        burst: limits.deviceCallsPerMinute,
      },
      clock,
    }),
    onEndedKey: (device) => noticeEndedKey(endedKeyParts, device),
  });
  const admission = { devices, bodies, backlog, ...ratesOf(deps, limits) };
  const { elapsed } = deps;
  const clockWatch = new ClockWatch({ store, clock, timers, log, ...(elapsed && { elapsed }) });
  const refusedFiles = new RefusedFiles({ store, clock, timers, log, limits, clockWatch });
  const { malformed, twoAgents, waiting, agentEvents } = throttles;
  const heard = new HeardDevices(limits.agentDevices);
  const processName = nonces.next().slice(0, PROCESS_NAME_CHARACTERS);
  const healthFollower = new HealthFollower({
    ...{ eventLog, processName, timers, log, limits },
    knows: (deviceId) => heard.knows(deviceId),
    learn: (record) => learnHeartbeat({ heard, waiting }, record, clock.now()),
  });
  const judge = { clock, nonces, stamp, malformed, refusedFiles };
  const agentNotices = {
    stamp,
    append,
    heard,
    twoAgents,
    waiting,
    agentEvents,
  };
  const arena = new BufferArena();
  return {
    reports: {
      ...admission,
      ...{ judge, append, counts, limits },
      receipts: new Receipts(deps.logKey),
      allocate: (bytes) => arena.allocate(bytes),
    },
    heartbeats: {
      ...admission,
      ...agentNotices,
      eventAppends: new Map(),
      ...{ refusedFiles, clockWatch, processName },
      clock,
      eventLog,
      store,
      counts,
    },
    configuration: { ...admission, keys, memberAuth, sentinelAddress: `${config.publicUrl}/api/v1` },
    follower,
    freshness,
    refusedFiles,
    clockWatch,
    healthFollower,
  };
}

/** Limits how often each kind of notice is recorded. */
function throttlesOf(limits: IngestionLimits) {
  return {
    /** @pool malformed-notices */
    malformed: new KeyedThrottle(limits.malformedEveryMs, limits.malformedFiles),
    /** @pool two-agents-notices */
    twoAgents: new KeyedThrottle(limits.deviceNoticeEveryMs, limits.agentDevices),
    /** @pool waiting-report-notices */
    waiting: new KeyedThrottle(limits.deviceNoticeEveryMs, limits.agentDevices),
    /** @pool agent-event-notices */
    agentEvents: new KeyedThrottle(limits.agentEventEveryMs, limits.malformedFiles),
    /** @pool ended-key-notices */
    endedKeys: new KeyedThrottle(limits.deviceNoticeEveryMs, limits.agentDevices),
  };
}

function ratesOf(
  { config, clock }: IngestionDeps,
  limits: IngestionLimits,
): Pick<Admission, 'reportRates' | 'callRates'> {
  const {
    deviceReportsPerSecond,
    deviceReportsBurst,
    organizationReportsPerSecond,
    organizationReportsBurst,
  } = config.limits;
  const { deviceCallsPerMinute, organizationCallsPerSecond, organizationCallsBurst } = limits;
  return {
    /** @pool device-reports, organization-reports */
    reportRates: new SenderRates({
      device: { perSecond: deviceReportsPerSecond, burst: deviceReportsBurst },
      organization: { perSecond: organizationReportsPerSecond, burst: organizationReportsBurst },
      clock,
    }),
    /** @pool device-calls */
    callRates: new SenderRates({
      device: { perSecond: deviceCallsPerMinute / SECONDS_PER_MINUTE, burst: deviceCallsPerMinute },
      organization: { perSecond: organizationCallsPerSecond, burst: organizationCallsBurst },
      clock,
    }),
  };
}
