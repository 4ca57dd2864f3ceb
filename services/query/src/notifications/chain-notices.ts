/** Makes notices from records of the chain topic. Pure. */
import {
  alertName,
  hasTextsIn,
  isCompact,
  KEY_ENDED,
  noticeCode,
  visible,
  type Category,
  type ChainAlert,
  type ChainEvent,
  type ChainRecord,
} from '@sentinel-node/contracts';
import { iso } from '../views/index.ts';
import type { KnownNames } from './known.ts';
import { causeId } from './notice-id.ts';
import type { Notice, NoticeType, Severity } from './notice.ts';
import { NOTHING_SET_ASIDE, type SetAside } from './set-aside.ts';

/** An open alert is reported again at 10, 100, 1,000 … occurrences: some ten notices at most. */
const TEN = 10;

/** Start of a non-empty list of alerts in JSON: a record without it is not parsed. */
const WITH_ALERTS = Buffer.from('"alerts":[{');
const WITH_ENDED_KEY = Buffer.from(KEY_ENDED);

/** Returns false when the record gives no notice, by its bytes alone. @throws RecordFormatError */
export function mayHaveNotices(body: Uint8Array): boolean {
  if (isCompact(body)) return hasTextsIn(body);
  const bytes = Buffer.from(body.buffer, body.byteOffset, body.byteLength);
  return bytes.includes(WITH_ALERTS) || bytes.includes(WITH_ENDED_KEY);
}

/** Returns whether a record can give notices, so that names need to be read. */
export const hasNotices = (record: ChainRecord): boolean =>
  record.alerts.length > 0 || endedKeyEvents(record).length > 0;

/**
 * Returns the notices of a record. That a person handled an alert is told, set aside or not.
 * @param standing what windows and lists say about the active alerts of the record
 */
export function chainNotices(
  record: ChainRecord,
  known: KnownNames,
  standing: SetAside = NOTHING_SET_ASIDE,
): Notice[] {
  const alerts = record.alerts.flatMap((alert) => {
    const told = describe(record, alert, standing);
    return told === undefined ? [] : [alertNotice(record, alert, known, told)];
  });
  return [...alerts, ...shutOutNotices(record, known)];
}

interface NoticeDraft {
  readonly type: NoticeType;
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  readonly what: string;
  /** Distinguishes notices with the same type and alert. */
  readonly step?: string;
}

function describe(
  record: ChainRecord,
  alert: ChainAlert,
  { setAside, goOn }: SetAside,
): NoticeDraft | undefined {
  const { id, type, status, timestamp, occurrences } = alert;
  const handledAt = alert.handledAt ?? record.timestamp;
  if (status === 'RESOLVED')
    return { type: 'alert.handled', at: handledAt, what: `The alert ${alertName[type]} was dismissed` };
  if (status === 'DEACTIVATED')
    return { type: 'chain.reset', at: handledAt, what: `The alert ${alertName[type]} was reset` };
  if (setAside.has(alert)) return undefined;
  if (goOn.has(alert)) {
    const what = `The alert ${alertName[type]}, set aside before, occurred again`;
    return { type: 'alert.raised', at: alert.lastTimestamp, what };
  }
  if (alert.eventRequest !== undefined)
    return { type: 'alert.raised', at: timestamp, what: `A new alert, ${alertName[type]}` };
  const step = stepReached(occurrences - breaksOf(record, id), occurrences);
  if (step === undefined) return undefined;
  const what = `The alert ${alertName[type]} occurred ${step.toLocaleString('en')} times`;
  return { type: 'alert.continued', at: alert.lastTimestamp, what, step: String(step) };
}

const breaksOf = ({ entries }: ChainRecord, id: string): number =>
  entries.filter(({ kind, alertId }) => kind === 'BREAK' && alertId === id).length;

/** Returns the highest power of ten, from 10, that is above `before` and not above `now`. */
export function stepReached(before: number, now: number): number | undefined {
  let step = TEN;
  while (step * TEN <= now) step *= TEN;
  return step <= now && step > before ? step : undefined;
}

function alertNotice(
  { orgId, deviceId, fileId, category }: ChainRecord,
  alert: ChainAlert,
  known: KnownNames,
  { type, at, what, step = '' }: NoticeDraft,
): Notice {
  const device = known.device(deviceId);
  const file = fileId === null ? undefined : known.file(fileId);
  const isHandled = alert.status !== 'ACTIVE';
  const actor = isHandled && alert.overrideUserEmail !== null ? { actor: alert.overrideUserEmail } : {};
  const by = actor.actor === undefined ? '' : ` by ${actor.actor}`;
  return {
    id: causeId(at, type, alert.id, step),
    type,
    orgId,
    at: iso(at),
    severity: isHandled ? 'info' : severityOf(category),
    orderKey: alert.id,
    text: visible(`${what}: ${file === undefined ? '' : `${file.path} on `}${device.name}${by}.`),
    device,
    ...(file === undefined ? {} : { file }),
    alert: { id: alert.id, type: alert.type, status: alert.status },
    ...actor,
    category,
    since: iso(alert.timestamp),
  };
}

export const severityOf = (category: Category): Severity =>
  category === 'MISSION_CRITICAL' ? 'critical' : 'warning';

/** An agent whose key has ended still watches its files, but its reports are refused. */
function shutOutNotices(record: ChainRecord, known: KnownNames): Notice[] {
  const { orgId, deviceId, timestamp, category } = record;
  const device = known.device(deviceId);
  return endedKeyEvents(record).map(({ id }) => ({
    id: causeId(timestamp, 'agent.blind', id),
    type: 'agent.blind',
    orgId,
    at: iso(timestamp),
    severity: severityOf(category),
    orderKey: deviceId,
    text: visible(`The agent of ${device.name} is shut out: it calls with a key that has ended.`),
    device,
    category,
  }));
}

/** Returns the events of calls with an ended key. The code of an event of a file is what its agent chose. */
function endedKeyEvents({ fileId, events }: ChainRecord): readonly ChainEvent[] {
  if (fileId !== null) return [];
  return events.filter(({ note }) => note.includes(KEY_ENDED) && noticeCode(note) === KEY_ENDED);
}
