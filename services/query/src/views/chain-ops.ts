import {
  KEY_ENDED,
  noticeCode,
  type ChainAlert,
  type ChainRecord,
  type Entry,
  type FileState,
  omit,
} from '@sentinel-node/contracts';
import { type ViewName, VIEWS } from './collections.ts';
import type {
  AlertRequestView,
  AlertView,
  ChainEntryView,
  ChainPosition,
  DeviceActivityView,
  DeviceFirstContactView,
  DeviceRefusalView,
  EventView,
  FileStateView,
  LinkView,
} from './documents.ts';
import { parkingOps } from './parking-ops.ts';
import type { ViewOp } from './view-op.ts';

/** Returns the view writes of one record of a report, claim, policy change or notice. `position` is the record's. */
export function chainOps(record: ChainRecord, position: ChainPosition): ViewOp[] {
  const ops: ViewOp[] = [];
  if (record.fileId !== null && record.parking !== undefined)
    ops.push(...parkingOps(record.fileId, record, record.parking));
  if (record.fileId !== null) entryOps(record.fileId, record.entries, position, ops);
  if (record.fileId !== null && record.alerts.length > 0) alertOps(record, record.fileId, ops);
  if (record.events.length > 0)
    ops.push({ collection: VIEWS.events, mode: 'insertMissing', documents: eventViews(record) });
  if (record.fileId !== null && record.file !== null)
    ops.push({
      collection: VIEWS.fileStates,
      mode: 'upsert',
      documents: [fileStateView(record, record.fileId, record.file)],
    });
  if (isRefusal(record)) refusalOps(record, ops);
  else contactOps(record, ops);
  return ops;
}

/** Returns whether the record tells of a call with an ended key. Such a call is no contact: the agent is shut out. */
function isRefusal({ fileId, events }: ChainRecord): boolean {
  return fileId === null && events.some(({ note }) => noticeCode(note) === KEY_ENDED);
}

function refusalOps({ deviceId: id, timestamp: rev, orgId }: ChainRecord, ops: ViewOp[]): void {
  const refusal: DeviceRefusalView = { id, rev, orgId };
  ops.push({ collection: VIEWS.deviceRefusals, mode: 'upsert', documents: [refusal] });
}

function contactOps(record: ChainRecord, ops: ViewOp[]): void {
  const heardAt = heardOfDevice(record);
  if (heardAt === null) return;
  const activity: DeviceActivityView = { id: record.deviceId, rev: heardAt, orgId: record.orgId };
  ops.push({ collection: VIEWS.deviceActivity, mode: 'upsert', documents: [activity] });
  const first: DeviceFirstContactView = { id: record.deviceId, rev: -heardAt, orgId: record.orgId };
  ops.push({ collection: VIEWS.deviceFirstContacts, mode: 'upsert', documents: [first] });
}

function entryOps(fileId: string, entries: readonly Entry[], position: ChainPosition, ops: ViewOp[]): void {
  const links: LinkView[] = [];
  const others: ChainEntryView[] = [];
  for (const entry of entries) {
    const { kind } = entry;
    if (kind === 'BASELINE' || kind === 'LINK' || kind === 'BREAK')
      links.push(linkView(fileId, entry, kind, position));
    else others.push(chainEntryView(fileId, entry, position));
  }
  pushInserts(ops, VIEWS.links, links);
  pushInserts(ops, VIEWS.chainEntries, others);
}

function pushInserts(
  ops: ViewOp[],
  collection: ViewName,
  documents: readonly (LinkView | ChainEntryView)[],
): void {
  if (documents.length > 0) ops.push({ collection, mode: 'insertMissing', documents });
}

type FileStateDraft = { -readonly [K in keyof FileStateView]: FileStateView[K] };

/** Copies field by field, as `linkView` does: V8 misses its inline cache for each field added to a spread copy. */
function fileStateView(record: ChainRecord, id: string, file: FileState): FileStateView {
  const view: FileStateDraft = {
    length: file.length,
    hash: file.hash,
    missing: file.missing,
    sequence: file.sequence,
    configVersion: file.configVersion,
    number: file.number,
    linkHash: file.linkHash,
    lastLinkId: file.lastLinkId,
    activeAlerts: file.activeAlerts,
    checkedAt: file.checkedAt,
    contactAt: file.contactAt,
    id,
    rev: record.rev,
    orgId: record.orgId,
    deviceId: record.deviceId,
  };
  if (file.attributesTold !== undefined) view.attributesTold = file.attributesTold;
  return view;
}

type LinkDraft = { -readonly [K in keyof LinkView]: LinkView[K] };

function linkView(fileId: string, entry: Entry, kind: LinkView['kind'], position: ChainPosition): LinkView {
  const view: LinkDraft = {
    id: entry.id,
    fileId,
    number: entry.number,
    kind,
    hash: entry.contentHash ?? null,
    length: entry.length ?? null,
    timestamp: entry.acceptedAt,
    linkHash: entry.linkHash,
    partition: position.partition,
    offset: position.offset,
  };
  if (entry.firstHash) view.firstHash = true;
  if (entry.whileDisabled) view.whileDisabled = true;
  if (entry.alertId !== undefined) view.alertId = entry.alertId;
  return view;
}

function chainEntryView(fileId: string, entry: Entry, position: ChainPosition): ChainEntryView {
  const { id, number, kind, linkHash, acceptedAt, alertId } = entry;
  const { partition, offset } = position;
  const view = { id, fileId, number, kind, timestamp: acceptedAt, linkHash, partition, offset };
  return alertId === undefined ? view : { ...view, alertId };
}

function alertOps(record: ChainRecord, fileId: string, ops: ViewOp[]): void {
  const requests: AlertRequestView[] = [];
  for (const { id, eventRequest } of record.alerts)
    if (eventRequest !== undefined) requests.push({ id, request: eventRequest });
  if (requests.length > 0)
    ops.push({ collection: VIEWS.alertRequests, mode: 'insertMissing', documents: requests });
  const documents = record.alerts.map((alert) => alertView(record, fileId, alert));
  ops.push({ collection: VIEWS.alerts, mode: 'upsert', documents });
}

function alertView(record: ChainRecord, fileId: string, alert: ChainAlert): AlertView {
  const fields = omit(alert, 'eventRequest', 'breakNumber');
  return { ...fields, rev: record.rev, orgId: record.orgId, deviceId: record.deviceId, fileId };
}

function eventViews(record: ChainRecord): EventView[] {
  const { orgId, deviceId, fileId, timestamp } = record;
  return record.events.map(({ id, type, alertId, hashId, note }) => {
    return { id, orgId, deviceId, fileId, type, timestamp, alertId, hashId, note };
  });
}

/**
 * Returns whether the record may itself be a contact of its device, whose time may be before the record's. A record with a
 * handled alert is a claim; one of a policy change is not told apart.
 */
export const mayBeContact = (record: ChainRecord): boolean =>
  !isRefusal(record) &&
  heardOfDevice(record) !== null &&
  record.alerts.every(({ status }) => status === 'ACTIVE');

/** Returns when the device made contact, else null. Claims and policy changes come from people: they are no contact. */
function heardOfDevice({ fileId, file, events, timestamp }: ChainRecord): number | null {
  if (fileId === null || events.some(({ type }) => type === 'MALFORMED_DATA')) return timestamp;
  return file?.contactAt ?? null;
}
