/** What time alone changes, as it is found: devices and files that are lost, files that the agent cannot look at. Pure. */
import type { Severity } from '@sentinel-node/contracts';
import { iso, type DeviceView } from '../views/index.ts';
import { severityOf } from './chain-notices.ts';
import { causeId } from './notice-id.ts';
import type { Notice, NoticeType } from './notice.ts';

export type StateKind = 'LOST' | 'BLIND';

/** Kept from when it is found until it is over and told. */
export type NoticeState = {
  /** Kind and id of the device or file. */
  readonly id: string;
  readonly rev: number;
  readonly orgId: string;
  readonly kind: StateKind;
  readonly deviceId: string;
  readonly deviceName: string;
  readonly category: DeviceView['category'];
  /** null: of the device itself. */
  readonly fileId: string | null;
  readonly path: string | null;
  /** Why the agent does not look at it. */
  readonly why: string | null;
  /** Milliseconds since the Unix epoch. */
  readonly since: number;
  /** Its beginning was told, or is of before telling began. */
  readonly told: boolean;
  /** When it was found to be over; null: it goes on. */
  readonly endedAt: number | null;
};

export type FoundState = Omit<NoticeState, 'rev' | 'told' | 'endedAt'>;

export const stateId = (kind: StateKind, id: string): string => `${kind}:${id}`;

/** A state that has just begun. */
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

/** undefined: its end is not told. */
export function endedNotice(state: NoticeState): Notice | undefined {
  const { kind, deviceName, path, endedAt } = state;
  if (endedAt === null) return undefined;
  const what = path === null ? deviceName : `${path} on ${deviceName}`;
  if (kind === 'BLIND') return noticeOf(state, 'file.returned', endedAt, `The agent looks at ${what} again.`);
  const type = path === null ? 'device.returned' : 'file.returned';
  return noticeOf(state, type, endedAt, `${what} is heard of again.`);
}

function noticeOf(state: NoticeState, type: NoticeType, at: number, text: string): Notice {
  const { orgId, deviceId, deviceName, fileId, path, category, since } = state;
  const hasReturned = type === 'device.returned' || type === 'file.returned';
  const severity: Severity = hasReturned ? 'info' : severityOf(category);
  return {
    // Of the beginning also at the end, which is found at another time after a crash.
    id: causeId(since, type, state.id),
    type,
    orgId,
    at: iso(at),
    severity,
    orderKey: fileId ?? deviceId,
    text,
    device: { id: deviceId, name: deviceName },
    ...(fileId === null || path === null ? {} : { file: { id: fileId, path } }),
    category,
    since: iso(since),
  };
}
