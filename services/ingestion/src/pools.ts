import {
  AS_MUCH_AS_IS_FREE,
  definePools,
  LEAST_RECENTLY_USED,
  RATE_LIMITER_KEYS,
} from '@sentinel-node/platform';
import { REPORT_COST_BYTES } from './domain/bulk-lines.ts';
import { INGESTION_LIMITS as LIMITS } from './limits.ts';
import { SMALL_BYTES } from './http/unpack.ts';

const OVERLOADED = '503 `OVERLOADED`';
const RATE_LIMITED = '429 `RATE_LIMITED`';
const FORGOTTEN = 'none: of what gave way the next notice comes sooner';

/** Devices that were told of something within the hour. */
const ONE_NOTICE_AN_HOUR = {
  unit: 'devices',
  whole: LIMITS.agentDevices,
  organization: FORGOTTEN,
  device: 'one notice an hour of each process',
  metric: null,
  whenFull: 'the oldest gives way',
} as const;

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
    organization: 'as the two above',
    whenFull: 'as bulk bodies',
  },
  'bodies-unpacked': {
    holds: `bulk bodies of more than ${SMALL_BYTES / 1_024} KiB that are decompressed now; those that wait hold their compressed bytes in **bulk-bodies**`,
    unit: 'bodies',
    whole: LIMITS.unpackedAtOnce,
    organization: AS_MUCH_AS_IS_FREE,
    reserve: 'half of what was free stays free',
    whenFull: `a body waits ${LIMITS.unpackWaitMs / 1_000} s at most, and at most ${LIMITS.unpackWaiting.toLocaleString('en')} of its organisation wait; then ${OVERLOADED}`,
  },
  'report-appends': {
    holds: 'records of reports and notices on their way into the log',
    unit: 'bytes',
    whole: LIMITS.appendingBytes,
    organization: AS_MUCH_AS_IS_FREE,
    reserve: 'half of what was free stays free; the rest of what the log takes stays for the other services',
    whenFull: OVERLOADED,
  },
  'waiting-reports': {
    holds:
      'records of reports that are accepted and not in the views yet, as counted from the log; an organisation is refused only while another one sent reports within the last minute',
    unit: 'records',
    whole: '`SENTINEL_LIMIT_WAITING_REPORTS`, of all processes',
    organization: AS_MUCH_AS_IS_FREE,
    reserve: 'half of what was free stays free',
    whenFull: OVERLOADED,
  },
  'device-reports': {
    holds: `reports, lines of bulk bodies included; a bulk body counts once for each ${REPORT_COST_BYTES / 1_024} KiB, decompressed, where that is more`,
    unit: 'reports',
    organization: 'that of **organization-reports**',
    device: '`SENTINEL_LIMIT_DEVICE_REPORTS` a second, `SENTINEL_LIMIT_DEVICE_BURST` at once',
    metric: 'sentinel_ingestion_reports_total{code="RATE_LIMITED"}',
    whenFull: `${RATE_LIMITED}; with more than ${RATE_LIMITER_KEYS.toLocaleString('en')} devices the longest silent one counts as new`,
  },
  'organization-reports': {
    holds: 'reports of all devices of an organisation, counted as for **device-reports**',
    unit: 'reports',
    organization:
      '`SENTINEL_LIMIT_ORGANIZATION_REPORTS` a second, `SENTINEL_LIMIT_ORGANIZATION_BURST` at once',
    metric: 'sentinel_ingestion_reports_total{code="RATE_LIMITED"}',
    whenFull: RATE_LIMITED,
  },
  'device-calls': {
    holds: `heartbeats and reads of the configuration; each counts once more for each ${LIMITS.filesPerCall} files of its device`,
    unit: 'calls',
    organization: `${LIMITS.organizationCallsPerSecond.toLocaleString('en')} a second, ${LIMITS.organizationCallsBurst.toLocaleString('en')} at once`,
    device: `${LIMITS.deviceCallsPerMinute} a minute`,
    metric: 'sentinel_http_request_duration_seconds{status="4xx"}',
    whenFull: RATE_LIMITED,
  },
  'refused-keys': {
    holds: 'calls refused for their key',
    unit: 'calls',
    organization: 'none: a refused call belongs to no organisation',
    address: '`SENTINEL_LIMIT_USER_CALLS` a minute',
    metric: 'sentinel_http_request_duration_seconds{status="4xx"}',
    whenFull: `${RATE_LIMITED}, and no read of the store for keys that were never made, nor for a key beyond the 32nd of a device that has not called since the start of the process`,
  },
  'ended-keys': {
    holds: 'calls refused for a key that the device had',
    unit: 'calls',
    organization: 'none: the key may be a former one of anybody',
    device: `${LIMITS.deviceCallsPerMinute} a minute`,
    metric: 'sentinel_http_request_duration_seconds{status="4xx"}',
    whenFull: RATE_LIMITED,
  },
  'device-policies': {
    holds: 'devices and files as the store had them last',
    unit: 'devices',
    whole: LIMITS.cachedDevices,
    organization: AS_MUCH_AS_IS_FREE,
    metric: 'sentinel_ingestion_cached_devices',
    whenFull: `one of the organisation with most of them gives way, also above ${LIMITS.cachedFiles.toLocaleString('en')} files, and is read again`,
  },
  'device-keys': {
    holds:
      'derived API keys, and apart from them the newest versions of keys that were replaced more than 30 times',
    unit: 'keys',
    whole: 2 * LIMITS.cachedDevices,
    organization: 'none: whatever gave way is derived again',
    metric: null,
    whenFull: LEAST_RECENTLY_USED,
  },
  'device-reads': {
    holds: `reads of devices that wait for the store, beside the ${LIMITS.storeReads} that run; one a device`,
    unit: 'reads',
    whole: LIMITS.storeReadsWaiting,
    organization: AS_MUCH_AS_IS_FREE,
    reserve: 'organisations that wait are served in rotation',
    whenFull: OVERLOADED,
  },
  'heard-devices': {
    holds:
      'devices whose last heartbeats are remembered: to keep them in order, to find two agents of one device, since when its reports wait, and how many were set aside',
    unit: 'devices',
    whole: LIMITS.agentDevices,
    organization:
      'none: of what gave way it is found again within six health intervals, and a late heartbeat is kept',
    metric: null,
    whenFull: 'the longest silent device gives way',
  },
  'two-agents-notices': {
    holds: 'devices that were told of two agents within the hour',
    ...ONE_NOTICE_AN_HOUR,
  },
  'waiting-report-notices': {
    holds: 'devices that were told of waiting reports within the hour',
    ...ONE_NOTICE_AN_HOUR,
  },
  'refused-files': {
    holds: 'files whose last report was refused for good, which have no contact until another is taken',
    unit: 'files',
    whole: LIMITS.refusedFiles,
    organization: 'as much as the others leave',
    metric: null,
    whenFull:
      'the oldest refusal of the organisation with most of them gives way, and its file has contact by the next heartbeat',
  },
  'refused-files-told': {
    holds:
      'files of which other processes have to be told that a report was refused for good, or taken after that',
    unit: 'files',
    whole: LIMITS.refusedFiles,
    organization: 'as much as the others leave; organisations are told of in turns',
    metric: null,
    whenFull:
      'the oldest of the organisation with most of them gives way, and other processes do not know of it',
  },
  'agent-event-notices': {
    holds: 'events of agents, by device, start of the agent, file and code, that came within the minute',
    unit: 'events',
    whole: LIMITS.malformedFiles,
    organization: 'each that is recorded counts in **organization-reports**',
    device:
      'one event a minute of each start of the agent, code and file; each that is recorded counts in **device-reports**',
    metric: null,
    whenFull: 'the oldest gives way',
  },
  'ended-key-notices': {
    holds: 'devices whose ended key was used within the hour, by the version of the key that they have now',
    ...ONE_NOTICE_AN_HOUR,
    device: 'one notice an hour, and one after each change of its key',
  },
  'malformed-notices': {
    holds: 'files of which a malformed body was told within the minute',
    unit: 'files',
    whole: LIMITS.malformedFiles,
    organization: FORGOTTEN,
    device: 'one notice a minute and file',
    metric: null,
    whenFull: 'the oldest gives way',
  },
});
