import {
  UUID_RANDOM_BYTES,
  uuidV7,
  type AgentEvent,
  type DeviceEntity,
  type HealthRecord,
  type Heartbeat,
} from '@sentinel-node/contracts';
import type { Clock, KeyedThrottle, Random } from '@sentinel-node/platform';
import { appendOrUndo, type Append } from './append.ts';
import { saysAllWait, saysReportsWait } from './domain/deliveries.ts';
import type { DeviceSnapshot } from './domain/device-snapshot.ts';
import type { Heard } from './domain/heard-device.ts';
import {
  agentNotice,
  endedKeyNotice,
  reportsWaitNotice,
  setAsideNotice,
  twoAgentsNotice,
  type Stamp,
} from './domain/notices.ts';
import type { Refusal } from './domain/refusal.ts';
import type { Backlog } from './backlog.ts';
import type { HeardDevices } from './heard-devices.ts';
import type { Nonces } from './nonces.ts';
import { rateRefusal } from './refusal-of.ts';
import type { SenderRates } from './sender-rates.ts';

export interface NoticeParts {
  readonly stamp: (nowMs: number) => Stamp;
  readonly append: Append;
}

export interface EndedKeyParts extends NoticeParts {
  readonly clock: Clock;
  /** Limits notices by device and key version, so that the first use after a rotation is reported at once. */
  readonly endedKeys: KeyedThrottle;
}

/** Parts for the notices of heartbeats. */
export interface AgentNoticeParts extends NoticeParts {
  readonly heard: HeardDevices;
  /** Limits notices by device. */
  readonly twoAgents: KeyedThrottle;
  /** Limits notices of reports that wait, by device. */
  readonly waiting: KeyedThrottle;
  /** Limits notices by device, instance of the agent, file and code. */
  readonly agentEvents: KeyedThrottle;
}

export function noticeStamps(nonces: Nonces, random: Random): NoticeParts['stamp'] {
  return (nowMs) => ({
    nowMs,
    nonce: nonces.next(),
    noticeId: uuidV7(nowMs, random.bytes(UUID_RANDOM_BYTES)),
  });
}

/** Records that an agent uses an ended key of its device. If the store is busy, the agent's next call records it. */
export async function noticeEndedKey(
  { clock, endedKeys, stamp, append }: EndedKeyParts,
  device: DeviceEntity,
): Promise<void> {
  const nowMs = clock.now();
  const name = `${device.id}:${device.keyVersion}`;
  if (!endedKeys.take(name, nowMs)) return;
  const notice = endedKeyNotice(device, stamp(nowMs));
  await appendOrUndo(append, device, [notice], () => endedKeys.release(name));
}

/**
 * Records two agents of one device. A busy store does not fail the heartbeat: the agents keep alternating, and the next
 * heartbeat records them.
 */
export async function noticeTwoAgents(
  { twoAgents, stamp, append }: AgentNoticeParts,
  { entity }: DeviceSnapshot,
  { isAlternating }: Heard,
  nowMs: number,
): Promise<void> {
  if (!isAlternating || !twoAgents.take(entity.id, nowMs)) return;
  const notice = twoAgentsNotice(entity, stamp(nowMs));
  await appendOrUndo(append, entity, [notice], () => twoAgents.release(entity.id));
}

/**
 * Records reports that the agent could not deliver, unless the agent says so itself. A busy store does not fail the
 * heartbeat: the next one records them.
 */
export async function noticeUndelivered(
  { heard, waiting, stamp, append }: AgentNoticeParts,
  { entity }: DeviceSnapshot,
  heartbeat: Heartbeat,
  { isStuck, setAside }: Heard,
  nowMs: number,
): Promise<void> {
  const all = heartbeat.setAside ?? 0;
  const notices = setAside === 0 ? [] : [setAsideNotice(entity, setAside, all, stamp(nowMs))];
  const isNews = isStuck && !saysReportsWait(heartbeat) && waiting.take(entity.id, nowMs);
  const { queue, oldestUnsent } = heartbeat;
  if (isNews) notices.push(reportsWaitNotice(entity, queue, String(oldestUnsent), stamp(nowMs)));
  if (notices.length > 0)
    await appendOrUndo(append, entity, notices, () => {
      heard.untold(entity.id, heartbeat.instanceId, all - setAside);
      if (isNews) waiting.release(entity.id);
    });
}

/** Records a heartbeat that another process kept. If it names reports that wait, that process or the agent told of them. */
export function learnHeartbeat(
  { heard, waiting }: Pick<AgentNoticeParts, 'heard' | 'waiting'>,
  record: HealthRecord,
  nowMs: number,
): void {
  heard.learn(record, nowMs);
  if (saysAllWait(record.heartbeat)) waiting.take(record.deviceId, nowMs);
}

/** Parts for the messages of agents, which count as reports. */
export interface AgentEventParts extends AgentNoticeParts {
  readonly backlog: Backlog;
  readonly reportRates: SenderRates;
  /**
   * Appends of events that are under way, by device, instance of the agent, file and code.
   * @boundedBy the heartbeats that are answered
   */
  readonly eventAppends: Map<string, Promise<Refusal | undefined>>;
}

/**
 * Turns the agent's own messages into events. When the store is busy, or the organisation sends more than its share, the heartbeat is
 * refused, because the agent keeps its messages until it gets an answer. A repeat of an event whose append is under way has its outcome:
 * after any other answer nobody would send the event again. The limit is that of one start of the agent: an agent that was
 * started again does not know which of its events came within the last minute, and would forget one that is dropped.
 */
export async function noticeEvents(
  parts: AgentEventParts,
  device: DeviceSnapshot,
  { instanceId, events = [] }: Heartbeat,
  nowMs: number,
): Promise<Refusal | undefined> {
  const keyOf = ({ code, fileId }: AgentEvent): string =>
    `${device.entity.id}:${instanceId}:${fileId ?? ''}:${code}`;
  const { agentEvents, eventAppends } = parts;
  const fresh = events.filter((event) => agentEvents.take(keyOf(event), nowMs));
  const underWay = new Set<Promise<Refusal | undefined>>();
  for (const event of events) {
    const appending = eventAppends.get(keyOf(event));
    if (appending !== undefined) underWay.add(appending);
  }
  if (fresh.length > 0) {
    const appended = appendEvents(parts, device, fresh, nowMs, () => {
      for (const event of fresh) agentEvents.release(keyOf(event));
    });
    underWay.add(appended);
    for (const event of fresh) eventAppends.set(keyOf(event), appended);
    const forget = (): void => {
      for (const event of fresh)
        if (eventAppends.get(keyOf(event)) === appended) eventAppends.delete(keyOf(event));
    };
    appended.then(forget, forget);
  }
  return (await Promise.all([...underWay])).find((refusal) => refusal !== undefined);
}

/** @param undo called unless the events are durable */
async function appendEvents(
  { backlog, reportRates, stamp, append }: AgentEventParts,
  device: DeviceSnapshot,
  fresh: readonly AgentEvent[],
  nowMs: number,
  undo: () => void,
): Promise<Refusal | undefined> {
  const { entity } = device;
  const limited =
    backlog.refusalOf(entity.orgId) ??
    rateRefusal(reportRates.take(entity, Math.min(fresh.length, reportRates.most)));
  if (limited !== undefined) {
    undo();
    return limited;
  }
  const notices = fresh.map((event) => {
    const fileId = event.fileId !== null && device.files.has(event.fileId) ? event.fileId : null;
    return agentNotice(entity, { ...event, fileId }, stamp(nowMs));
  });
  return appendOrUndo(append, entity, notices, undo);
}
