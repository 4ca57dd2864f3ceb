/** Records of the chain, health and anchors topics in the form of the other services, for tests of the views. */
import {
  eventId,
  TOPICS,
  utf8,
  uuidV7,
  type AlertType,
  type AnchorRecord,
  type ChainAlert,
  type ChainRecord,
  type Entry,
  type HealthRecord,
  omit,
} from '@sentinel-node/contracts';
import type { EventLog, Position } from '@sentinel-node/platform';

export const uuid = (n: number): string => uuidV7(1_700_000_000_000 + n, new Uint8Array(10).fill(n % 251));
export const hash = (n: number): string => n.toString(16).padStart(64, '0');

export interface FileKey {
  readonly orgId: string;
  readonly deviceId: string;
  readonly fileId: string;
}

/** Makes the verifier's records: entries numbered without a gap, `rev` counted by file. */
export class FileHistory {
  readonly key: FileKey;
  readonly records: ChainRecord[] = [];
  #number = 0;
  #rev = 0;
  #time: number;
  #lastLinkId: string | null = null;
  #active = new Map<string, ChainAlert>();

  constructor(key: FileKey, time: number) {
    this.key = key;
    this.#time = time;
  }

  get number(): number {
    return this.#number;
  }

  get rev(): number {
    return this.#rev;
  }

  /** Of an active alert; 0 when there is none. */
  occurrencesOf(alertId: string): number {
    return this.#active.get(alertId)?.occurrences ?? 0;
  }

  /** Gives later records at least this time (ms). */
  passTo(time: number): void {
    this.#time = Math.max(this.#time, time);
  }

  baseline(): ChainRecord {
    return this.#record([this.#entry('GENESIS'), this.#entry('BASELINE', { firstHash: true })]);
  }

  link(more: Partial<Entry> = {}): ChainRecord {
    return this.#record([this.#entry('LINK', more)]);
  }

  /** Adds a break with its alert and its event. */
  breach(type: AlertType = 'HASH_BREACH', request = '{"sequence":1}'): ChainRecord {
    const id = eventId(this.#time + 1, 'ALERT', utf8(`${this.key.fileId} ${this.#rev}`));
    const entry = this.#entry('BREAK', { alertType: type, alertId: id });
    const alert: ChainAlert = {
      id,
      timestamp: this.#time + 1,
      status: 'ACTIVE',
      type,
      hashId: entry.id,
      breakNumber: entry.number,
      occurrences: 1,
      lastTimestamp: this.#time + 1,
      overrideUser: null,
      overrideUserEmail: null,
      handledAt: null,
      note: null,
      eventRequest: request,
    };
    const eventOf = eventId(this.#time + 1, 'ALERT_EVENT', utf8(id));
    const note = JSON.stringify({ type });
    this.#active.set(id, omit(alert, 'eventRequest'));
    return this.#record([entry], {
      alerts: [alert],
      events: [{ id: eventOf, type: 'ALERT', alertId: id, hashId: entry.id, note }],
    });
  }

  again(alertId: string, lastTimestamp = this.#time + 1): ChainRecord {
    const open = this.#active.get(alertId)!;
    const alert = { ...open, occurrences: open.occurrences + 1, lastTimestamp };
    this.#active.set(alertId, alert);
    return this.#record([this.#entry('BREAK', { alertType: open.type, alertId })], { alerts: [alert] });
  }

  handled(alertId: string, by: { id: string; email: string; note: string; reset?: boolean }): ChainRecord {
    const open = this.#active.get(alertId)!;
    this.#active.delete(alertId);
    const { id, email, note, reset = false } = by;
    const alert: ChainAlert = {
      ...open,
      status: reset ? 'DEACTIVATED' : 'RESOLVED',
      overrideUser: id,
      overrideUserEmail: email,
      handledAt: this.#time + 1,
      note,
    };
    const entries = reset
      ? [this.#entry('RESET', { alertId }), this.#entry('BASELINE', { firstHash: true })]
      : [this.#entry('DISMISSED', { alertId })];
    return this.#record(entries, { alerts: [alert], isReport: false });
  }

  #entry(kind: Entry['kind'], more: Partial<Entry> = {}): Entry {
    const number = this.#number++;
    const acceptedAt = this.#time + 1;
    const id = eventId(acceptedAt, kind, utf8(`${this.key.fileId} ${number}`));
    const isLink = kind === 'BASELINE' || kind === 'LINK' || kind === 'BREAK';
    if (isLink) this.#lastLinkId = id;
    return {
      id,
      number,
      kind,
      nonce: '0'.repeat(32),
      acceptedAt,
      versionIndex: 0,
      contentHash: hash(number),
      length: number,
      policyHash: hash(0),
      linkHash: hash(1_000 + number),
      firstHash: false,
      ...(isLink ? { reportHash: hash(2_000 + number) } : {}),
      ...more,
    };
  }

  #record(
    entries: Entry[],
    more: { alerts?: ChainAlert[]; events?: ChainRecord['events']; isReport?: boolean } = {},
  ): ChainRecord {
    this.#time += 1;
    const { alerts = [], events = [] } = more;
    const record: ChainRecord = {
      v: 1,
      rules: 1,
      ...this.key,
      rev: ++this.#rev,
      timestamp: this.#time,
      category: 'STANDARD',
      entries,
      alerts,
      events,
      file: {
        length: this.#number,
        hash: hash(this.#number),
        missing: false,
        sequence: this.#rev,
        configVersion: 1,
        number: this.#number - 1,
        linkHash: hash(1_000 + this.#number),
        lastLinkId: this.#lastLinkId,
        activeAlerts: this.#active.size,
        checkedAt: this.#time,
        contactAt: this.#time,
      },
    };
    this.records.push(record);
    return record;
  }
}

/** Returns the verifier's record for a notice of the device itself. */
export function deviceNotice(
  { orgId, deviceId }: Omit<FileKey, 'fileId'>,
  timestamp: number,
  code: string,
): ChainRecord {
  const id = eventId(timestamp, 'NOTICE', utf8(`${deviceId} ${code}`));
  const note = JSON.stringify({ code, message: 'as the notice says' });
  return {
    v: 1,
    rules: 1,
    orgId,
    deviceId,
    fileId: null,
    rev: 1,
    timestamp,
    category: 'STANDARD',
    entries: [],
    alerts: [],
    events: [{ id, type: 'AGENT_ERROR', alertId: null, hashId: null, note }],
    file: null,
  };
}

const bytes = (value: object): Uint8Array => Buffer.from(JSON.stringify(value));

export async function appendChain(log: EventLog, records: readonly ChainRecord[]): Promise<Position[]> {
  const given = records.map((record) => ({
    key: record.fileId ?? record.deviceId,
    id: String(record.rev),
    body: bytes(record),
  }));
  return log.append(TOPICS.chain, given);
}

export async function appendHeartbeat(log: EventLog, record: HealthRecord): Promise<void> {
  const given = { key: record.deviceId, id: String(record.receivedAt), body: bytes(record) };
  await log.append(TOPICS.deviceHealth, [given]);
}

export function heartbeat(
  key: Omit<FileKey, 'fileId'>,
  receivedAt: number,
  files: readonly { readonly id: string; readonly checkedAt: number }[],
): HealthRecord {
  const iso = (ms: number): string => new Date(ms).toISOString();
  const named = files.map(({ id, checkedAt }) => ({ id, checkedAt: iso(checkedAt) }));
  return {
    v: 1,
    ...key,
    receivedAt,
    heartbeat: {
      timestamp: iso(receivedAt),
      instanceId: 'one',
      agentVersion: '0.1.0',
      queue: 0,
      oldestUnsent: null,
      files: named,
    },
  };
}

export async function appendAnchor(log: EventLog, record: AnchorRecord): Promise<void> {
  const given = { key: String(record.batch), id: `${record.batch}/${record.rev}`, body: bytes(record) };
  await log.append(TOPICS.anchors, [given]);
}

/** @param status undefined for a cut that is not signed yet */
export function anchor(
  batch: number,
  rev: number,
  ranges: AnchorRecord['cut']['ranges'],
  status?: string,
): AnchorRecord {
  const transaction =
    status === undefined
      ? null
      : {
          txid: hash(9_000 + batch),
          status,
          blockHash: null,
          blockHeight: null,
          merklePath: null,
          confirmations: status === 'MINED' ? 1 : 0,
        };
  const cut = {
    batch,
    closedAt: 1_700_000_000_000 + batch,
    ranges,
    leafCount: 1,
    leafRoot: hash(1),
    totalLeaves: 1,
    header: '0'.repeat(364),
    headerHash: hash(2),
    logRoot: hash(3),
  };
  return { v: 1, batch, rev, at: 1_700_000_000_000 + rev, cut, transaction };
}
