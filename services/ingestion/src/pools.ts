import {
  AS_MUCH_AS_IS_FREE,
  definePools,
  LEAST_RECENTLY_USED,
  RATE_LIMITER_KEYS,
} from '@sentinel-node/platform';
import { INGESTION_LIMITS as LIMITS } from './limits.ts';

const OVERLOADED = '503 `OVERLOADED`';
const RATE_LIMITED = '429 `RATE_LIMITED`';

export const INGESTION_POOLS = definePools({
  'bulk-bodies': {
    holds: 'bulk bodies that are read or judged, after decompression',
    unit: 'bytes',
    whole: LIMITS.bulkBodyBytes,
    organization: AS_MUCH_AS_IS_FREE,
    device: LIMITS.bulkBodyBytesPerDevice,
    reserve: 'half of what was free stays free',
    whenFull: `${OVERLOADED}; below ${LIMITS.bodyBytesPerSecond.toLocaleString('en')} bytes a second over ${LIMITS.bodyWindowMs / 1_000} s: 408`,
  },
  'small-bodies': {
    holds: 'single reports and heartbeats that are read or judged',
    unit: 'bytes',
    whole: LIMITS.smallBodyBytes,
    organization: AS_MUCH_AS_IS_FREE,
    device: LIMITS.smallBodyBytesPerDevice,
    reserve: 'apart from bulk bodies; half of what was free stays free',
    whenFull: 'as bulk bodies',
  },
  'bodies-arriving': {
    holds: 'bodies whose rate is watched; each is in one of the two above',
    unit: 'bodies',
    whenFull: 'as bulk bodies',
  },
  'device-reports': {
    holds: 'reports, lines of bulk bodies included',
    unit: 'reports',
    device: '`SENTINEL_LIMIT_DEVICE_REPORTS` a second, `SENTINEL_LIMIT_DEVICE_BURST` at once',
    metric: 'sentinel_ingestion_reports_total{code="RATE_LIMITED"}',
    whenFull: `${RATE_LIMITED}; with more than ${RATE_LIMITER_KEYS.toLocaleString('en')} devices the longest silent one counts as new`,
  },
  'device-calls': {
    holds: 'heartbeats and reads of the configuration',
    unit: 'calls',
    device: `${LIMITS.deviceCallsPerMinute} a minute`,
    metric: 'sentinel_http_request_duration_seconds{status="4xx"}',
    whenFull: RATE_LIMITED,
  },
  'refused-keys': {
    holds: 'calls refused for their key',
    unit: 'calls',
    address: '`SENTINEL_LIMIT_USER_CALLS` a minute',
    metric: 'sentinel_http_request_duration_seconds{status="4xx"}',
    whenFull: `${RATE_LIMITED}, and no read of the store for keys that were never made`,
  },
  'device-policies': {
    holds: 'devices and files as the store had them last',
    unit: 'devices',
    whole: LIMITS.cachedDevices,
    metric: 'sentinel_ingestion_cached_devices',
    whenFull: `${LEAST_RECENTLY_USED}, also above ${LIMITS.cachedFiles.toLocaleString('en')} files`,
  },
  'device-keys': {
    holds: 'derived API keys',
    unit: 'keys',
    whole: 2 * LIMITS.cachedDevices,
    metric: null,
    whenFull: 'the oldest gives way',
  },
  'device-reads': {
    holds: `reads of devices that wait for the store, beside the ${LIMITS.storeReads} that run; one a device`,
    unit: 'reads',
    whole: LIMITS.storeReadsWaiting,
    whenFull: OVERLOADED,
  },
  'agent-instances': {
    holds: 'devices whose instance ids are remembered, to find two agents of one device',
    unit: 'devices',
    whole: LIMITS.agentDevices,
    metric: null,
    whenFull: 'the longest silent device gives way',
  },
  'two-agents-notices': {
    holds: 'devices that were told of two agents within the hour',
    unit: 'devices',
    whole: LIMITS.agentDevices,
    device: 'one notice an hour',
    metric: null,
    whenFull: 'the oldest gives way',
  },
  'agent-event-notices': {
    holds: 'events of agents, by device, file and code, that came within the minute',
    unit: 'events',
    whole: LIMITS.malformedFiles,
    device: 'one event a minute of each code and file',
    metric: null,
    whenFull: 'the oldest gives way',
  },
  'ended-key-notices': {
    holds: 'devices whose ended key was used within the hour',
    unit: 'devices',
    whole: LIMITS.agentDevices,
    device: 'one notice an hour',
    metric: null,
    whenFull: 'the oldest gives way',
  },
  'malformed-notices': {
    holds: 'files of which a malformed body was told within the minute',
    unit: 'files',
    whole: LIMITS.malformedFiles,
    device: 'one notice a minute and file',
    metric: null,
    whenFull: 'the oldest gives way',
  },
});
