/** Returns the objects that a source record changed; the stream reads each object when it sends it to the console. */
import type {
  ChainRecord,
  DeviceEntity,
  FeedItem,
  HealthRecord,
  ParkingRecord,
  RegistryRecord,
} from '@sentinel-node/contracts';
import { mayBeContact } from './chain-ops.ts';
import type { FileView } from './documents.ts';
import { beginsOrEnds } from './parking-ops.ts';

export function registryFeed(record: RegistryRecord): FeedItem[] {
  const { entity, version: rev, orgId } = record;
  const item = (kind: FeedItem['kind'], id: string): FeedItem => ({ kind, id, rev });
  const events = record.events.map(({ id }) => item('event', id));
  if (entity.kind === 'ORGANIZATION') {
    const users = [...entity.users, ...entity.removedUsers].map(({ id }) => item('user', id));
    return [item('organization', entity.id), ...users, ...events];
  }
  if (entity.kind === 'ENROLMENT' || entity.kind === 'SERVICE_TOKEN' || entity.kind === 'WEBHOOK')
    return events;
  if (entity.kind === 'NOTIFICATION_RULE') return events;
  if (entity.kind === 'EXPECTED') return [item('expected', entity.id), ...events, item('summary', orgId)];
  if (entity.kind === 'MAINTENANCE')
    return [item('maintenance', entity.id), ...events, item('summary', orgId)];
  if (entity.kind === 'ALERT') return [item('alert', entity.id), ...events];
  const files = changedFiles(record, entity).map((id) => item('file', id));
  return [item('device', entity.id), ...files, ...events, item('summary', orgId)];
}

/**
 * Returns the ids of the files that the events name. Returns all files when the device itself changed, because its
 * switch and its path are also theirs.
 */
function changedFiles({ events }: RegistryRecord, { files, removedFiles }: DeviceEntity): string[] {
  const named = new Set(events.map(({ fileId }) => fileId));
  if (named.size === 0 || named.has(null)) return [...files, ...removedFiles].map(({ id }) => id);
  return [...named].filter((id) => id !== null);
}

export function chainFeed(record: ChainRecord): FeedItem[] {
  const { rev, fileId, deviceId, orgId, parking } = record;
  const alerts = record.alerts.map(({ id }): FeedItem => ({ kind: 'alert', id, rev }));
  const events = record.events.map(({ id }): FeedItem => ({ kind: 'event', id, rev }));
  const device: FeedItem = { kind: 'device', id: deviceId, rev: record.timestamp };
  const subjects: FeedItem[] = fileId === null ? [device] : [{ kind: 'file', id: fileId, rev }];
  // It may have been silent.
  if (fileId !== null && mayBeContact(record)) subjects.push(device);
  if (fileId !== null && parking !== undefined && beginsOrEnds(parking))
    subjects.push({ kind: 'parking', id: fileId, rev });
  return [...alerts, ...events, ...subjects, { kind: 'summary', id: orgId, rev: record.timestamp }];
}

/** Returns the items of a parking record that parks or frees the file; others change no count. */
export function parkingFeed(
  { id, orgId }: Pick<FileView, 'id' | 'orgId'>,
  { rev, timestamp }: Pick<ParkingRecord, 'rev' | 'timestamp'>,
): FeedItem[] {
  return [
    { kind: 'parking', id, rev },
    { kind: 'file', id, rev },
    { kind: 'summary', id: orgId, rev: timestamp },
  ];
}

export function healthFeed({ deviceId, orgId, receivedAt: rev, heartbeat }: HealthRecord): FeedItem[] {
  const files = heartbeat.files.map(({ id }): FeedItem => ({ kind: 'file', id, rev }));
  return [{ kind: 'device', id: deviceId, rev }, ...files, { kind: 'summary', id: orgId, rev }];
}

/** Returns the newest item of each object, in the order of each object's last occurrence. */
export function mergeItems(items: readonly FeedItem[]): FeedItem[] {
  const merged = new Map<string, FeedItem>();
  for (const item of items) {
    const key = `${item.kind} ${item.id}`;
    const existing = merged.get(key);
    merged.delete(key);
    merged.set(key, existing !== undefined && existing.rev > item.rev ? existing : item);
  }
  return [...merged.values()];
}
