import {
  CURRENT_RULES,
  encodeFileEvent,
  KEY_ENDED,
  type AgentEvent,
  type DeviceEntity,
  type NoticeRecord,
} from '@sentinel-node/contracts';
import type { FieldError, LogRecord } from '@sentinel-node/platform';

/** What comes in from outside: time and randomness. */
export interface Stamp {
  readonly nowMs: number;
  readonly nonce: string;
  /** UUIDv7. */
  readonly noticeId: string;
}

const MAX_MESSAGE_CHARACTERS = 500;

/** A body that does not fit. The message names the fault, never the value. */
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
    code: 'TWO_AGENTS',
    message: 'Two agents report for this device with the same configuration. Stop one of them.',
  });
}

/** What an agent says of itself, in its own words. */
export function agentNotice(device: DeviceEntity, event: AgentEvent, stamp: Stamp): LogRecord {
  return noticeRecord(device, stamp, { ...event, type: 'AGENT_ERROR' });
}

/** The key was this device's and has ended: only an agent that was shut out can know it. */
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
