import { LIMITS } from '@sentinel-node/contracts';
import { AS_MUCH_AS_IS_FREE, definePools, LEAST_RECENTLY_USED, READ_AGAIN } from '@sentinel-node/platform';
import { KEPT_ALERTS } from './alerts/kept-alerts.ts';
import { ALERT_WAITERS } from './alerts/signals.ts';
import { KEPT_COUNTS } from './dashboard/activity.ts';
import { PARKED_LIMITS } from './dashboard/limits.ts';
import { REGEXP_WORK } from './devices/regexps/limits.ts';
import { ENROLMENT_LIMITS } from './enrolments/limits.ts';
import { EXPORT_LIMITS } from './exports/gate.ts';
import { BODY_LIMITS } from './http/body-limits.ts';
import { CALLERS_REMEMBERED } from './http/rate-limits.ts';
import { READ_LIMITS } from './http/read-turns.ts';
import { NOTICE_MAILS_PER_HOUR } from './mail/mail-limits.ts';
import { MAIL_LIMITS } from './mail/outbox.ts';
import { NOTIFICATION_LIMITS } from './notifications/limits.ts';
import { PROOF_WORK } from './proofs/limits.ts';
import { SERVICE_TOKEN_LIMITS } from './service-tokens/limits.ts';
import { USERS_REMEMBERED } from './signin/members.ts';
import { STREAM_LIMITS } from './stream/limits.ts';
import { BACKGROUND_CALLS } from './storage/background-store.ts';
import { WEBHOOK_LIMITS } from './webhooks/limits.ts';

const OVERLOADED = '503 `OVERLOADED`';
const RATE_LIMITED = '429 `RATE_LIMITED`';

export const QUERY_POOLS = definePools({
  calls: {
    holds: `calls of people; the last ${CALLERS_REMEMBERED.toLocaleString('en')} callers are counted`,
    unit: 'calls a minute',
    organization: '`SENTINEL_LIMIT_ORGANIZATION_CALLS`',
    person:
      '`SENTINEL_LIMIT_USER_CALLS`, of a service token `SENTINEL_LIMIT_TOKEN_CALLS`; fewer where a `SENTINEL_LIMIT_…` of its own says so',
    address: 'as a person, for calls without a token; `SENTINEL_LIMIT_LOGIN`, `SENTINEL_LIMIT_CONFIRM`',
    metric: 'sentinel_http_request_duration_seconds{status="4xx"}',
    whenFull: RATE_LIMITED,
  },
  'known-tokens': {
    holds:
      'tokens of the last callers, with their organisation, so that a call too many is refused without a read of the store',
    unit: 'tokens',
    whole: CALLERS_REMEMBERED,
    organization: 'none: whose token gave way is read from the store, and refused then',
    whenFull: LEAST_RECENTLY_USED,
  },
  'json-bodies': {
    holds: 'bodies of calls of people, until the call is answered',
    unit: 'bytes',
    whole: BODY_LIMITS.bytes,
    organization: AS_MUCH_AS_IS_FREE,
    person: BODY_LIMITS.bytesPerMember,
    address: BODY_LIMITS.bytesPerMember,
    reserve: 'half of what was free stays free',
    whenFull: OVERLOADED,
  },
  reads: {
    holds:
      'lists, searches and other reads of the store under way, until their answer is made, also when their client has left',
    unit: 'reads',
    whole: READ_LIMITS.atOnce,
    organization: AS_MUCH_AS_IS_FREE,
    reserve: 'half of what was free stays free',
    whenFull: `a read waits, beside ${READ_LIMITS.waiting} of its organisation at most and ${READ_LIMITS.waitMs / 1_000} s at most; then ${OVERLOADED}`,
  },
  'shared-addresses': {
    holds: 'addresses that alerts are shared with',
    unit: 'addresses a day',
    organization: '`SENTINEL_LIMIT_SHARE_ADDRESSES`',
    metric: 'sentinel_http_request_duration_seconds{status="4xx"}',
    whenFull: RATE_LIMITED,
  },
  invitations: {
    holds: 'activation mails',
    unit: 'mails a day',
    organization: '`SENTINEL_LIMIT_INVITATIONS`',
    metric: 'sentinel_http_request_duration_seconds{status="4xx"}',
    whenFull: `${RATE_LIMITED} until the next day; counted in the store, by all processes together`,
  },
  'mails-to-address': {
    holds: 'invitations and shared alerts to one address, whichever organisations cause them',
    unit: 'mails a day',
    whole: '`SENTINEL_LIMIT_ADDRESS_MAILS`',
    organization: '`SENTINEL_LIMIT_INVITATIONS` and `SENTINEL_LIMIT_SHARE_ADDRESSES` hold',
    metric: 'sentinel_http_request_duration_seconds{status="4xx"}',
    whenFull: `${RATE_LIMITED} until the next day; counted in the store, by all processes together`,
  },
  enrolments: {
    holds: 'devices that agents make with enrolment tokens',
    unit: 'calls a minute',
    organization: ENROLMENT_LIMITS.enrolmentsPerMinute,
    address: 'as for `calls`',
    metric: 'sentinel_enrolments_total',
    whenFull: RATE_LIMITED,
  },
  'service-token-uses': {
    holds: 'service tokens whose last use was stored a short time ago',
    unit: 'tokens',
    whole: SERVICE_TOKEN_LIMITS.tokensRemembered,
    organization: `${LIMITS.serviceTokensPerOrganization} valid tokens`,
    whenFull: 'the token remembered longest is forgotten, and its next use is stored',
  },
  'wrong-enrolment-tokens': {
    holds: 'enrolment tokens that are wrong',
    unit: 'calls a minute',
    organization: 'none: a wrong token belongs to nobody',
    address: ENROLMENT_LIMITS.wrongTokensPerMinute,
    metric: 'sentinel_enrolments_total{result="wrong_token"}',
    whenFull: `${RATE_LIMITED} instead of 401; a valid token still works`,
  },
  exports: {
    holds: 'exports under way',
    unit: 'exports',
    whole: EXPORT_LIMITS.atOnce,
    organization: AS_MUCH_AS_IS_FREE,
    person: EXPORT_LIMITS.perUser,
    reserve: 'half of what was free stays free',
    metric: 'sentinel_query_exports_open',
    whenFull: `${OVERLOADED}; a client that takes less than ${EXPORT_LIMITS.leastBytesPerSecond.toLocaleString('en')} bytes a second over ${EXPORT_LIMITS.windowMs / 1_000} s is cut off`,
  },
  proofs: {
    holds: 'requests that wait for the tree of a batch',
    unit: 'requests',
    whole: PROOF_WORK.waitingRequests,
    organization: AS_MUCH_AS_IS_FREE,
    person: PROOF_WORK.waitingPerMember,
    address: PROOF_WORK.waitingPerMember,
    reserve: 'half of what was free stays free',
    metric: null,
    whenFull: `${OVERLOADED}; after ${PROOF_WORK.waitMs / 1_000} s too`,
  },
  bundles: {
    holds: 'bundles of proofs that are being made',
    unit: 'bundles',
    whole: PROOF_WORK.bundlesAtOnce,
    organization: AS_MUCH_AS_IS_FREE,
    person: PROOF_WORK.bundlesPerMember,
    reserve: 'half of what was free stays free',
    metric: null,
    whenFull: `${OVERLOADED}; after ${PROOF_WORK.bundleMs / 1_000} s too`,
  },
  'proof-trees': {
    holds: 'trees of batches',
    unit: 'bytes',
    whole: PROOF_WORK.treeCacheBytes,
    organization: 'none: an evicted tree is built again, one at a time',
    metric: null,
    whenFull: LEAST_RECENTLY_USED,
  },
  mails: {
    holds: 'mails that wait for the mail server, in the store',
    unit: 'mails',
    whole: MAIL_LIMITS.queued,
    organization: AS_MUCH_AS_IS_FREE,
    reserve: 'half of what was free stays free',
    metric: null,
    whenFull: OVERLOADED,
  },
  'webhook-notices': {
    holds: 'notices that wait for the receivers of webhooks, in the store',
    unit: 'notices',
    whole: WEBHOOK_LIMITS.waiting,
    organization: AS_MUCH_AS_IS_FREE,
    reserve: 'half of what was free stays free',
    metric: null,
    whenFull: `${OVERLOADED} for a test and for dead letters that are sent again; notices of rules are left out, and counted`,
  },
  'background-calls': {
    holds: 'calls of notifier and webhooks to the store under way',
    unit: 'calls',
    whole: BACKGROUND_CALLS.atOnce,
    organization: AS_MUCH_AS_IS_FREE,
    reserve:
      'half of what was free stays free; the other connections to the store are for the calls of people',
    whenFull: `a call waits, ${BACKGROUND_CALLS.waitMs / 1_000} s at most; then its work is tried again later`,
  },
  'webhooks-under-way': {
    holds: `webhooks that are sent to now, each with ${WEBHOOK_LIMITS.lanes} requests at most`,
    unit: 'webhooks',
    whole: WEBHOOK_LIMITS.atOnce,
    organization: AS_MUCH_AS_IS_FREE,
    reserve: 'half of what was free stays free',
    whenFull: `a webhook waits, beside ${WEBHOOK_LIMITS.waitingWebhooks} of its organisation at most; each gives its turn back after ${WEBHOOK_LIMITS.sliceMs / 1_000} s and the requests under way`,
  },
  'webhook-dead-letters': {
    holds: `notices that could not be delivered, for ${WEBHOOK_LIMITS.deadLetterMs / 86_400_000} days, in the store`,
    unit: 'notices of a webhook',
    organization: `${LIMITS.webhooksPerOrganization} webhooks`,
    whole: WEBHOOK_LIMITS.deadLetters,
    metric: null,
    whenFull: 'the oldest of the webhook is removed',
  },
  'webhook-attempts': {
    holds: `attempts to deliver, for ${WEBHOOK_LIMITS.attemptMs / 86_400_000} days, in the store`,
    unit: 'attempts of a webhook',
    organization: `${LIMITS.webhooksPerOrganization} webhooks`,
    whole: WEBHOOK_LIMITS.attempts,
    metric: null,
    whenFull: 'the oldest of the webhook is removed',
  },
  'webhook-counts': {
    holds: 'organisations whose waiting notices were counted a short time ago',
    unit: 'organisations',
    whole: WEBHOOK_LIMITS.countedOrganizations,
    organization: READ_AGAIN,
    whenFull: LEAST_RECENTLY_USED,
  },
  'notice-mails': {
    holds:
      'mails of notices; addresses without a user that one mailbox has (`eve@…`, `eve+1@…`) are one person',
    unit: 'mails an hour',
    organization: NOTICE_MAILS_PER_HOUR,
    person: NOTIFICATION_LIMITS.mailsPerHour,
    metric: null,
    whenFull: 'notices are gathered until the next hour; counted in the store, by all processes together',
  },
  'waiting-notices': {
    holds: 'notices that wait whole for the next mail to a recipient, in the store',
    unit: 'notices',
    person: NOTIFICATION_LIMITS.waiting,
    organization: 'none: each recipient has a share',
    metric: null,
    whenFull: 'the mail gives the number of further notices, by kind',
  },
  'alert-waiters': {
    holds: 'requests that wait until an alert shows their effect',
    unit: 'requests',
    whole: ALERT_WAITERS,
    organization: 'none: a request waits a few seconds, and the people have their rate',
    metric: null,
    whenFull: OVERLOADED,
  },
  members: {
    holds: 'people of organisations, as last read from the store',
    unit: 'people',
    whole: USERS_REMEMBERED,
    organization: READ_AGAIN,
    metric: null,
    whenFull: `the organisation ${LEAST_RECENTLY_USED.replace('the ', '')}`,
  },
  streams: {
    holds: 'live streams',
    unit: 'streams',
    whole: STREAM_LIMITS.clients,
    organization: AS_MUCH_AS_IS_FREE,
    person: STREAM_LIMITS.clientsPerUser,
    reserve: 'half of what was free stays free',
    metric: 'sentinel_query_streams_open',
    whenFull: OVERLOADED,
  },
  'stream-updates': {
    holds: 'objects of an organisation that wait for their next turn on its streams',
    unit: 'objects',
    organization: STREAM_LIMITS.pendingObjects,
    metric: null,
    whenFull: 'files are dropped until a `resync` to the streams of the organisation, at most one a minute',
  },
  expressions: {
    holds: 'archive expressions that wait for their check',
    unit: 'expressions',
    whole: REGEXP_WORK.waiting,
    organization: REGEXP_WORK.waitingPerOrganization,
    metric: 'sentinel_query_regexps_waiting',
    whenFull: `${OVERLOADED}; of one organisation: ${RATE_LIMITED}`,
  },
  'expression-verdicts': {
    holds: 'archive expressions with a cached verdict',
    unit: 'expressions',
    whole: REGEXP_WORK.keptVerdicts,
    organization: 'none: an evicted verdict is computed again, within the share above',
    metric: null,
    whenFull: LEAST_RECENTLY_USED,
  },
  'known-files': {
    holds: 'files and devices of organisations, as the counts of dashboards need them',
    unit: 'files and devices',
    whole: '200,000, or one for each 3 KiB that the heap of the process may take',
    organization: 'none: an organisation that was evicted or is too large is counted from the store',
    whenFull: `the organisation ${LEAST_RECENTLY_USED.replace('the ', '')}`,
  },
  'files-not-judged': {
    holds: 'parked files, as dashboards need them',
    unit: 'files',
    whole: PARKED_LIMITS.files,
    organization: 'none: parked files are counted in the whole system, those with most waiting records first',
    whenFull: 'dashboards say that their number of files that are not judged is the least',
  },
  'known-alerts': {
    holds: 'alerts of organisations, as filters, counts and groups need them',
    unit: 'alerts',
    whole: KEPT_ALERTS.alerts,
    organization:
      'none: an evicted organisation is read again; one that is too large has filters and no counts',
    whenFull: `the organisation ${LEAST_RECENTLY_USED.replace('the ', '')}`,
  },
  'activity-counts': {
    holds: 'counts of hours and parts of days, for dashboards',
    unit: 'counts',
    whole: KEPT_COUNTS,
    organization: 'what the others leave; evicted counts are computed again',
    metric: null,
    whenFull: 'the count that was kept longest ago gives way, in the organisation with most',
  },
});
