/**
 * States that begin and end by the passage of time: lost devices, lost files, and files that the agent cannot
 * read. Pure.
 */
import { visible, type Severity } from '@sentinel-node/contracts';
import { iso, type DeviceView } from '../views/index.ts';
import { severityOf } from './chain-notices.ts';
import { causeId } from './notice-id.ts';
import type { Notice, NoticeType } from './notice.ts';

export type StateKind = 'LOST' | 'BLIND';

/** Stored from when the state is found until its end was reported. */
export type NoticeState = {
  /** Kind and id of the device or file. */
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  readonly kind: StateKind;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly category: DeviceView['category'];
  /** null for a state of the device itself. */
  readonly fileId: string | null;
  readonly path: string | null;
  /** Why the agent does not watch the file. */
  readonly why: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly since: number;
  /** Revision of the device when the state was found; absent in states of earlier versions. */
  readonly deviceRev?: number;
  /** When true, the begin was reported, or lies before notifications started. */
  readonly told: boolean;
  /** When the end was found; null while the state lasts. */
  readonly endedAt: number | null;
  /**
   * Contact, monitoring that was switched off or a deletion, or another state of the same file. Absent while the state lasts, and
   * in states of earlier versions.
   */
  readonly endedBy?: 'CONTACT' | 'MONITORING' | 'OTHER_STATE';
};

export type FoundState = Omit<NoticeState, 'rev' | 'told' | 'endedAt' | 'endedBy'>;

export const stateId = (kind: StateKind, id: string): string => `${kind}:${id}`;

/** Returns the notice about the begin of a state. */
export function beganNotice(state: NoticeState): Notice {
  const { kind, deviceName, path, why } = state;
  const what = path === null ? deviceName : `${path} on ${deviceName}`;
  if (kind === 'BLIND')
    return noticeOf(
      state,
      'agent.blind',
      state.since,
      `The agent does not look at ${what}: ${why ?? 'unknown'}.`,
    );
  const type = path === null ? 'device.lost' : 'file.lost';
  return noticeOf(state, type, state.since, `Nothing is heard of ${what}.`);
}

/** Returns the notice about the end of a state; undefined while the state lasts. */
export function endedNotice(state: NoticeState): Notice | undefined {
  const { kind, deviceName, path, endedAt } = state;
  if (endedAt === null) return undefined;
  const what = path === null ? deviceName : `${path} on ${deviceName}`;
  if (kind === 'BLIND') return noticeOf(state, 'file.returned', endedAt, `The agent looks at ${what} again.`);
  const type = path === null ? 'device.returned' : 'file.returned';
  return noticeOf(state, type, endedAt, `${what} is heard of again.`);
}

/** Returns the notice about a state whose device or file is no longer monitored; undefined while the state lasts. */
export function unmonitoredNotice(state: NoticeState): Notice | undefined {
  const { id, endedAt, deviceName, path } = state;
  if (endedAt === null) return undefined;
  const what = path === null ? deviceName : `${path} on ${deviceName}`;
  return {
    ...beganNotice(state),
    // Monitoring can be switched on and off again while the device stays lost.
    id: causeId(endedAt, 'unmonitored', id),
    at: iso(endedAt),
    text: visible(`${what} is no longer monitored.`),
    ends: true,
  };
}

function noticeOf(state: NoticeState, type: NoticeType, at: number, text: string): Notice {
  const { orgId, deviceId, deviceName, fileId, path, category, since, deviceRev } = state;
  const hasReturned = type === 'device.returned' || type === 'file.returned';
  const severity: Severity = hasReturned ? 'info' : severityOf(category);
  return {
    // The end also takes the id from the begin: after a crash the end is found at another time.
    // A device that is monitored again, and was not heard of meanwhile, is told again: its revision is another.
    id: causeId(since, type, state.id, ...(deviceRev === undefined ? [] : [`${deviceRev}`])),
    type,
    orgId,
    at: iso(at),
    severity,
    orderKey: fileId ?? deviceId,
    text: visible(text),
    device: { id: deviceId, name: deviceName },
    ...(fileId === null || path === null ? {} : { file: { id: fileId, path } }),
    category,
    since: iso(since),
  };
}
