import {
  CURRENT_RULES,
  encodeFileEvent,
  isServerCode,
  KEY_ENDED,
  type AgentEvent,
  type DeviceEntity,
  type NoticeRecord,
} from '@sentinel-node/contracts';
import type { FieldError, LogRecord } from '@sentinel-node/platform';
import { REPORTS_WAIT } from './deliveries.ts';

/** Time and random values, supplied by the caller. */
export interface Stamp {
  readonly nowMs: number;
  readonly nonce: string;
  /** UUIDv7. */
  readonly noticeId: string;
}

/** The agent dropped reports that the server refused for good. */
export const REPORTS_SET_ASIDE = 'REPORTS_SET_ASIDE';

const TWO_AGENTS = 'TWO_AGENTS';

const MAX_MESSAGE_CHARACTERS = 500;

/** Returns the notice of a body of a wrong form. The message names the fault, never the value. */
export function malformedNotice(
  device: DeviceEntity,
  fileId: string,
  errors: readonly FieldError[],
  stamp: Stamp,
): LogRecord {
  const [first] = errors;
  const message = first === undefined ? 'not valid' : `${first.path} ${first.message}`.trim();
  return noticeRecord(device, stamp, {
    fileId,
    type: 'MALFORMED_DATA',
    code: 'VALIDATION_FAILED',
    message: message.slice(0, MAX_MESSAGE_CHARACTERS),
  });
}

export function twoAgentsNotice(device: DeviceEntity, stamp: Stamp): LogRecord {
  return noticeRecord(device, stamp, {
    fileId: null,
    type: 'AGENT_ERROR',
    code: TWO_AGENTS,
    message: 'Two agents report for this device with the same configuration. Stop one of them.',
  });
}

/** Returns the notice with an agent's own message. A code of the server gets a prefix, so that it is not taken for the server's word. */
export function agentNotice(device: DeviceEntity, event: AgentEvent, stamp: Stamp): LogRecord {
  const code = isServerCode(event.code) ? `AGENT_${event.code}` : event.code;
  return noticeRecord(device, stamp, { ...event, code, type: 'AGENT_ERROR' });
}

/** @param queue number of waiting reports */
export function reportsWaitNotice(
  device: DeviceEntity,
  queue: number,
  oldest: string,
  stamp: Stamp,
): LogRecord {
  return noticeRecord(device, stamp, {
    fileId: null,
    type: 'AGENT_ERROR',
    code: REPORTS_WAIT,
    message: `Heartbeats arrive, but ${reports(queue)} of the agent ${queue === 1 ? 'waits' : 'wait'}, the oldest since ${oldest}. What they tell is not known.`,
  });
}

/** @param count number of reports that were set aside since the last notice @param all number since the agent's start */
export function setAsideNotice(device: DeviceEntity, count: number, all: number, stamp: Stamp): LogRecord {
  return noticeRecord(device, stamp, {
    fileId: null,
    type: 'AGENT_ERROR',
    code: REPORTS_SET_ASIDE,
    message: `The agent set ${reports(count)} aside, because the server refused one for good (${all} in all since its start). What they tell is not known.`,
  });
}

const reports = (count: number): string => (count === 1 ? '1 report' : `${count} reports`);

/** Returns the notice of an ended key of this device: only an agent that was shut out can know the key. */
export function endedKeyNotice(device: DeviceEntity, stamp: Stamp): LogRecord {
  return noticeRecord(device, stamp, {
    fileId: null,
    type: 'AGENT_ERROR',
    code: KEY_ENDED,
    message:
      'An agent uses an API key of this device that has ended. Download the configuration again and put it on the machine.',
  });
}

function noticeRecord(
  device: DeviceEntity,
  { nowMs, nonce, noticeId }: Stamp,
  what: Pick<NoticeRecord, 'fileId' | 'type' | 'code' | 'message'>,
): LogRecord {
  const header: NoticeRecord = {
    kind: 'notice',
    v: 1,
    rules: CURRENT_RULES,
    orgId: device.orgId,
    deviceId: device.id,
    acceptedAt: nowMs,
    nonce,
    noticeId,
    ...what,
  };
  return { key: what.fileId ?? device.id, id: noticeId, body: encodeFileEvent(JSON.stringify(header)) };
}
