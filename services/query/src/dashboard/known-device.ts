/** Counts one device and its files from their views, with the same results as a survey. No I/O, no clock. */
import type { ClockAhead } from '@sentinel-node/platform';
import {
  contactInput,
  deviceExpiresAt,
  deviceStatus,
  fileExpiresAt,
  fileWaitsAt,
  lastContactOf,
  type ContactInput,
} from '../devices/index.ts';
import type { setAsideBy } from '../maintenance/index.ts';
import type {
  AlertView,
  DeviceActivityView,
  DeviceContactView,
  DeviceFirstContactView,
  DeviceView,
  FileStateView,
  FileView,
} from '../views/index.ts';
import { NAMED_FILES, takeNewest, type DeviceFiles, type DeviceStanding } from './summary.ts';

/** The fields of a file's view that counts need. */
export type FileFacts = Pick<
  FileView,
  | 'id'
  | 'rev'
  | 'name'
  | 'enabled'
  | 'monitoringFrequency'
  | 'interval'
  | 'creationDate'
  | 'enabledAt'
  | 'moved'
  | 'deleted'
>;

/** The mark that sets an alert aside; null when none does. */
export type SetAside = ReturnType<typeof setAsideBy>;

interface KnownFile {
  facts: FileFacts | undefined;
  state: Pick<FileStateView, 'rev' | 'checkedAt' | 'configVersion' | 'activeAlerts'> | undefined;
  /** Alerts by id; `lastAt` is the last occurrence (ms) of an ACTIVE alert, null for a handled one. */
  alerts:
    | Map<string, { readonly rev: number; readonly lastAt: number | null; readonly setAside: SetAside }>
    | undefined;
  /** True when the current tally counts the file as in contact. */
  isInContact: boolean;
}

/** Counts of one device, valid at any time (ms) in [from, until) until a document is taken. */
export interface Tally {
  readonly from: number;
  until: number;
  files: number;
  activeAlerts: number;
  monitored: number;
  inContact: number;
  waiting: number;
  readonly disabled: FileFacts[];
  readonly lost: { readonly facts: FileFacts; readonly expiresAt: number }[];
  /** Files that are waited for again since the time (ms) of `fileWaitsAt`. */
  readonly again: { readonly id: string; readonly waitsAt: number }[];
  /** The files of `disabled` and of `lost` as the dashboard names them; undefined without any. */
  disabledFiles: DeviceFiles | undefined;
  lostFiles: DeviceFiles | undefined;
  /** Last occurrence (ms) of an ACTIVE alert of the device's files that is not set aside. */
  lastAlertAt: number;
  /** As `takeNewest`, of the same alerts. */
  readonly newestAlerts: string[];
  /** Last occurrences (ms) of the alerts that are set aside. */
  readonly setAside: { readonly lastAt: number; readonly by: NonNullable<SetAside> }[];
  /** Time (ms) of the latest expiration in `lost` and `again`. */
  lastLapseAt: number;
}

/** Origin of a document: a write of this process, or a read of the store. */
export type Source = 'written' | 'stored';

type Revised = { readonly rev: number };

/** Decides as the store does. Of two documents with the same `rev`, the stored one is right. */
const isNewer = (document: Revised, held: Revised | undefined, source: Source): boolean =>
  held === undefined || document.rev > held.rev || (source === 'stored' && document.rev === held.rev);

/** Called when a write makes an object count for the first time, because the store may hold earlier documents of it. */
export type Meet = (kind: 'device' | 'file' | 'alert', id: string) => void;

/**
 * Takes documents in any order and more than once: the highest `rev` of each counts, as in the store.
 * @boundedBy the pool `known-files`, which holds its organisation
 */
export class KnownDevice {
  readonly #meet: Meet;
  readonly #files = new Map<string, KnownFile>();
  #view: DeviceView | undefined;
  /** The last result of `standingAt`, until the view changes. */
  #standing: DeviceStanding | undefined;
  #activity: DeviceActivityView | undefined;
  #contact: DeviceContactView | undefined;
  #firstContact: DeviceFirstContactView | undefined;
  #ahead: ClockAhead | undefined;
  #tally: Tally | undefined;

  constructor(meet: Meet, ahead: ClockAhead | undefined) {
    this.#meet = meet;
    this.#ahead = ahead;
  }

  /** Sets the times that a clock which was ahead gave. */
  setAhead(ahead: ClockAhead | undefined): void {
    this.#ahead = ahead;
    this.#tally = undefined;
  }

  /** Returns undefined when the device is unknown or deleted. */
  get view(): DeviceView | undefined {
    return this.#view?.deleted === false ? this.#view : undefined;
  }

  /** Number of known files, including deleted ones. */
  get size(): number {
    return this.#files.size;
  }

  /** As `deviceExpiresAt`. */
  get expiresAt(): number | null {
    return this.view === undefined ? null : deviceExpiresAt(this.view, this.#lastContact);
  }

  get #lastContact(): number | null {
    return lastContactOf(this.#activity, this.#ahead);
  }

  /** Returns the same object while nothing changes: a read of the dashboard needs it of every device. */
  standingAt(view: DeviceView, now: number): DeviceStanding {
    const { id, name, enabled } = view;
    const status = deviceStatus(view, this.#lastContact, now);
    if (this.#standing?.status !== status) this.#standing = { id, name, enabled, status };
    return this.#standing;
  }

  takeDevice(view: DeviceView, source: Source): void {
    if (!isNewer(view, this.#view, source)) return;
    if (this.#view === undefined && source === 'written') this.#meet('device', view.id);
    this.#view = view;
    this.#standing = undefined;
    this.#tally = undefined;
  }

  takeActivity(activity: DeviceActivityView, source: Source): void {
    if (!isNewer(activity, this.#activity, source)) return;
    const before = this.expiresAt;
    this.#activity = activity;
    const tally = this.#tally;
    // Every report brings an activity. The counts stay the same unless the device was silent and is on.
    const isOff = this.view?.enabled === false;
    const wasSilent = before === null || tally === undefined || before <= tally.from;
    if (!isOff && wasSilent) this.#tally = undefined;
  }

  takeContact(contact: DeviceContactView, source: Source): void {
    if (!isNewer(contact, this.#contact, source)) return;
    this.#contact = contact;
    this.#tally = undefined;
  }

  takeFirstContact(first: DeviceFirstContactView, source: Source): void {
    if (!isNewer(first, this.#firstContact, source)) return;
    this.#firstContact = first;
    this.#tally = undefined;
  }

  takeFile(view: FileView, source: Source): void {
    const file = this.#file(view.id);
    if (!isNewer(view, file.facts, source)) return;
    if (file.facts === undefined && source === 'written') this.#meet('file', view.id);
    const { id, rev, name, enabled, monitoringFrequency, interval, deleted } = view;
    const { creationDate, enabledAt, moved } = view;
    file.facts = {
      id,
      rev,
      name,
      enabled,
      monitoringFrequency,
      ...(interval === undefined ? {} : { interval }),
      creationDate,
      ...(enabledAt === undefined ? {} : { enabledAt }),
      ...(moved === undefined ? {} : { moved }),
      deleted,
    };
    this.#tally = undefined;
  }

  takeState({ id, rev, checkedAt, configVersion, activeAlerts }: FileStateView, source: Source): void {
    const file = this.#file(id);
    const before = file.state;
    if (!isNewer({ rev }, before, source)) return;
    file.state = { rev, checkedAt, configVersion, activeAlerts };
    const tally = this.#tally;
    if (tally === undefined) return;
    const input = file.facts === undefined ? undefined : this.#inputOf(file, file.facts, tally.from);
    const endsAt = input === undefined ? null : contactEndsAt(input);
    const staysInContact = file.isInContact && checkedAt !== null && endsAt !== null && endsAt > tally.from;
    if (!staysInContact) {
      this.#tally = undefined;
      return;
    }
    tally.until = Math.min(tally.until, endsAt);
    tally.activeAlerts += activeAlerts - (before?.activeAlerts ?? 0);
  }

  takeAlert({ id, rev, fileId, status, lastTimestamp }: AlertView, source: Source): void {
    const file = this.#file(fileId);
    file.alerts ??= new Map();
    const held = file.alerts.get(id);
    if (!isNewer({ rev }, held, source)) return;
    const isActive = status === 'ACTIVE';
    const before = held?.setAside ?? null;
    // By the revision: two occurrences can have the same time.
    const isAgain = before !== null && held?.rev !== rev;
    // An old record may be written again after the store learned that the alert was handled. A new occurrence may lie
    // outside the window or list that set the alert aside.
    if ((held === undefined || isAgain) && isActive && source === 'written') this.#meet('alert', id);
    const lastAt = isActive ? lastTimestamp : null;
    file.alerts.set(id, { rev, lastAt, setAside: isAgain ? null : before });
    this.#tally = undefined;
  }

  /** Sets the mark of the alert as taken. An alert that has changed since gets its own mark, by another read. */
  setAside({ id, rev, fileId }: Pick<AlertView, 'id' | 'rev' | 'fileId'>, setAside: SetAside): void {
    const alerts = this.#file(fileId).alerts;
    const held = alerts?.get(id);
    if (held === undefined) return;
    if (held.rev !== rev) {
      // More occurrences set no alert aside that was not.
      if (held.lastAt !== null && setAside !== null) this.#meet('alert', id);
      return;
    }
    if (held.setAside === setAside) return;
    alerts?.set(id, { ...held, setAside });
    this.#tally = undefined;
  }

  /** Returns the ids of ACTIVE alerts from this id on. */
  activeAlertsFrom(from: string): string[] {
    return [...this.#files.values()].flatMap(({ alerts }) =>
      [...(alerts ?? [])].filter(([id, { lastAt }]) => id >= from && lastAt !== null).map(([id]) => id),
    );
  }

  /** Returns those of the files that exist. @param view of this device */
  filesAmong(view: DeviceView, ids: Iterable<string>): DeviceFiles | undefined {
    const facts = [...ids].flatMap((id) => this.#files.get(id)?.facts ?? []);
    return filesOf(
      view,
      facts.filter(({ deleted }) => !deleted),
    );
  }

  /** @param view of this device @param now milliseconds */
  tallyAt(view: DeviceView, now: number): Tally {
    const held = this.#tally;
    if (held !== undefined && held.from <= now && now < held.until) return held;
    const tally: Tally = {
      from: now,
      until: Infinity,
      files: 0,
      activeAlerts: 0,
      monitored: 0,
      inContact: 0,
      waiting: 0,
      disabled: [],
      lost: [],
      again: [],
      disabledFiles: undefined,
      lostFiles: undefined,
      lastAlertAt: -Infinity,
      newestAlerts: [],
      setAside: [],
      lastLapseAt: -Infinity,
    };
    for (const file of this.#files.values()) {
      file.isInContact = false;
      if (file.facts?.deleted === false) this.#count(file, file.facts, tally);
    }
    tally.disabledFiles = filesOf(view, tally.disabled);
    tally.lostFiles = filesOf(
      view,
      tally.lost.map(({ facts }) => facts),
    );
    this.#tally = tally;
    return tally;
  }

  #count(file: KnownFile, facts: FileFacts, tally: Tally): void {
    tally.files++;
    tally.activeAlerts += file.state?.activeAlerts ?? 0;
    for (const [id, { lastAt, setAside }] of file.alerts ?? []) {
      if (lastAt === null) continue;
      if (setAside !== null) {
        tally.setAside.push({ lastAt, by: setAside });
        continue;
      }
      tally.lastAlertAt = Math.max(tally.lastAlertAt, lastAt);
      takeNewest(id, tally.newestAlerts);
    }
    if (!facts.enabled) tally.disabled.push(facts);
    if (!facts.enabled || this.#view?.enabled !== true) return;
    tally.monitored++;
    const input = this.#inputOf(file, facts, tally.from);
    const expiresAt = input === undefined ? null : fileExpiresAt(input);
    if (expiresAt !== null && expiresAt <= tally.from) {
      tally.lost.push({ facts, expiresAt });
      tally.lastLapseAt = Math.max(tally.lastLapseAt, expiresAt);
      return;
    }
    tally.until = Math.min(tally.until, expiresAt ?? Infinity);
    const waitsAt = input === undefined ? null : fileWaitsAt(input);
    if (waitsAt !== null && waitsAt > tally.from) tally.until = Math.min(tally.until, waitsAt);
    else if (waitsAt !== null) {
      tally.again.push({ id: facts.id, waitsAt });
      tally.lastLapseAt = Math.max(tally.lastLapseAt, waitsAt);
    }
    file.isInContact = input !== undefined && input.checkedAt !== null && (waitsAt ?? Infinity) > tally.from;
    if (file.isInContact) tally.inContact++;
    else tally.waiting++;
  }

  #inputOf(file: KnownFile, facts: FileFacts, now: number): ContactInput | undefined {
    if (this.#view === undefined) return undefined;
    const views = {
      ...{ device: this.#view, file: facts, state: file.state },
      ...{ activity: this.#activity, heartbeat: this.#contact, firstContact: this.#firstContact },
    };
    return contactInput(views, { now, ahead: this.#ahead });
  }

  #file(id: string): KnownFile {
    const held = this.#files.get(id);
    if (held !== undefined) return held;
    const file = { facts: undefined, state: undefined, alerts: undefined, isInContact: false };
    this.#files.set(id, file);
    return file;
  }
}

/** Returns when (ms) a file that is in contact is LOST or WAITING; null when no contact is expected. */
function contactEndsAt(input: ContactInput): number | null {
  return fileWaitsAt(input) ?? fileExpiresAt(input);
}

function filesOf({ id, name }: DeviceView, files: readonly FileFacts[]): DeviceFiles | undefined {
  if (files.length === 0) return undefined;
  let named: FileFacts[] | undefined;
  return { id, name, files: files.length, named: () => (named ??= first(files)) };
}

/** Returns the first files by id, that is the files that were added first. */
function first(files: readonly FileFacts[]): FileFacts[] {
  const found: FileFacts[] = [];
  for (const file of files) {
    const last = found.at(-1);
    if (found.length === NAMED_FILES && last !== undefined && file.id > last.id) continue;
    const at = found.findIndex(({ id }) => file.id < id);
    found.splice(at < 0 ? found.length : at, 0, file);
    found.length = Math.min(found.length, NAMED_FILES);
  }
  return found;
}
