/** The devices and files of one organisation, from their views. No I/O, no clock. */
import type { FeedItem } from '@sentinel-node/contracts';
import type { ClockAhead, CollectionName, Document, Stored } from '@sentinel-node/platform';
import type { Expirations } from '../devices/index.ts';
import { coveredFrom, setAsideBy, type Mark } from '../maintenance/index.ts';
import {
  VIEWS,
  type AlertView,
  type DeviceView,
  type ExpectedView,
  type MaintenanceView,
} from '../views/index.ts';
import { KnownDevice, type Meet, type Source, type Tally } from './known-device.ts';
import { healthSince } from './health-since.ts';
import { NONE_PARKED, type ParkedOf } from './parked-files.ts';
import { surveyWithoutFiles, takeNewest, type Survey } from './summary.ts';

type Take = (of: KnownOrganization, document: Document, source: Source) => void;

const taking = <T extends Stored>(
  name: CollectionName<T>,
  take: (of: KnownOrganization, view: T, source: Source) => void,
): readonly [string, Take] => [
  name,
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- documents of a collection have its shape
  (of, document, source) => take(of, document as Stored as T, source),
];

/** Takes a document of each collection that counts use. */
const TAKES: ReadonlyMap<string, Take> = new Map([
  taking(VIEWS.devices, (of, view, source) => of.takeDevice(view, source)),
  taking(VIEWS.deviceActivity, (of, view, source) => of.device(view.id).takeActivity(view, source)),
  taking(VIEWS.deviceContacts, (of, view, source) => of.device(view.id).takeContact(view, source)),
  taking(VIEWS.deviceFirstContacts, (of, view, source) => of.device(view.id).takeFirstContact(view, source)),
  taking(VIEWS.files, (of, view, source) => of.device(view.deviceId).takeFile(view, source)),
  taking(VIEWS.fileStates, (of, view, source) => of.device(view.deviceId).takeState(view, source)),
  taking(VIEWS.maintenance, (of, view) => of.takeCovering(view)),
  taking(VIEWS.expected, (of, view) => of.takeCovering(view)),
  taking(VIEWS.alerts, (of, view, source) => of.device(view.deviceId).takeAlert(view, source)),
]);

/** Returns whether counts use documents of the collection. */
export const isCounted = (collection: string): boolean => TAKES.has(collection);

interface Present {
  readonly view: DeviceView;
  readonly known: KnownDevice;
}

/** @boundedBy the pool `known-files`, which holds it */
export class KnownOrganization {
  readonly #devices = new Map<string, KnownDevice>();
  /** The devices that exist, newest first; undefined after a change of their views. */
  #present: readonly Present[] | undefined;
  #ahead: ClockAhead | undefined;
  readonly #met: FeedItem[] = [];
  readonly #meet: Meet = (kind, id) => this.#met.push({ kind, id, rev: 0 });

  /** Number of known files and devices. */
  get size(): number {
    let size = 0;
    for (const device of this.#devices.values()) size += 1 + device.size;
    return size;
  }

  get ahead(): ClockAhead | undefined {
    return this.#ahead;
  }

  /** Sets the times that a clock which was ahead gave. */
  setAhead(ahead: ClockAhead | undefined): void {
    if (ahead?.since === this.#ahead?.since && ahead?.until === this.#ahead?.until) return;
    this.#ahead = ahead;
    for (const device of this.#devices.values()) device.setAhead(ahead);
  }

  /** Takes documents of the organisation, in any order and more than once. */
  take(collection: string, documents: readonly Document[], source: Source): void {
    const take = TAKES.get(collection);
    if (take !== undefined) for (const document of documents) take(this, document, source);
  }

  takeDevice(view: DeviceView, source: Source): void {
    this.device(view.id).takeDevice(view, source);
    this.#present = undefined;
  }

  /** Marks the ACTIVE alerts that the window or list could cover for another read. */
  takeCovering(view: MaintenanceView | ExpectedView): void {
    const from = coveredFrom(view);
    for (const device of this.#devices.values())
      for (const id of device.activeAlertsFrom(from)) this.#meet('alert', id);
  }

  /** @param marks marks of these alerts */
  setAside(alerts: readonly AlertView[], marks: ReadonlyMap<string, Mark>): void {
    for (const alert of alerts) {
      const mark = marks.get(alert.id);
      this.device(alert.deviceId).setAside(alert, mark === undefined ? null : setAsideBy(mark));
    }
  }

  /** Returns the device; creates it when missing. */
  device(id: string): KnownDevice {
    let device = this.#devices.get(id);
    if (device === undefined) this.#devices.set(id, (device = new KnownDevice(this.#meet, this.#ahead)));
    return device;
  }

  /**
   * Returns and clears the devices, files and alerts that writes made count since the last call. They must be read,
   * because the store may hold earlier or newer documents of them.
   */
  takeMet(): readonly FeedItem[] {
    return this.#met.splice(0);
  }

  /** @param now milliseconds @param parked of this organisation */
  survey(now: number, parked: ParkedOf = NONE_PARKED): Survey {
    const present = this.#devicesPresent();
    const standing = present.map(({ view, known }) => known.standingAt(view, now));
    const survey = surveyWithoutFiles(standing, parked.isWhole);
    const since = healthSince(now);
    for (const { view, known } of present) add(view.id, known.tallyAt(view, now), since, survey);
    for (const [id, fileIds] of parked.byDevice) this.#addParked(id, fileIds, survey);
    return survey;
  }

  #addParked(deviceId: string, fileIds: Iterable<string>, to: Survey): void {
    const known = this.#devices.get(deviceId);
    const files = known?.view === undefined ? undefined : known.filesAmong(known.view, fileIds);
    if (files !== undefined) to.notJudged.set(deviceId, files);
  }

  /** Returns the contacts that expired after `since` (ms) and by `now` (ms), and the latest time of the next check. */
  expirations(since: number, now: number): Expirations {
    const found = { devices: [] as string[], files: [] as string[], nextAt: Infinity };
    for (const { view, known } of this.#devicesPresent()) {
      const { expiresAt } = known;
      if (expiresAt !== null && expiresAt > now) found.nextAt = Math.min(found.nextAt, expiresAt);
      else if (expiresAt !== null && expiresAt > since) found.devices.push(view.id);
      const tally = known.tallyAt(view, now);
      found.nextAt = Math.min(found.nextAt, tally.until);
      if (tally.lastLapseAt <= since) continue;
      for (const lost of tally.lost) if (lost.expiresAt > since) found.files.push(lost.facts.id);
      for (const { id, waitsAt } of tally.again) if (waitsAt > since) found.files.push(id);
    }
    return { ...found, nextAt: found.nextAt === Infinity ? null : found.nextAt };
  }

  #devicesPresent(): readonly Present[] {
    return (this.#present ??= [...this.#devices.values()]
      .flatMap((known) => (known.view === undefined ? [] : { view: known.view, known }))
      .sort(({ view: one }, { view: other }) => (one.id < other.id ? 1 : -1)));
  }
}

function add(id: string, tally: Tally, since: number, to: Survey): void {
  const { disabled, disabledFiles, lostFiles } = tally;
  to.files += tally.files;
  let active = tally.activeAlerts;
  for (const { lastAt, by } of tally.setAside) {
    if (lastAt < since) continue;
    active--;
    to.setAside[by]++;
  }
  to.activeAlerts += active;
  if (active > 0) to.alerts.set(id, active);
  for (const alertId of tally.newestAlerts) takeNewest(alertId, to.newestAlerts);
  to.monitored += tally.monitored;
  to.inContact += tally.inContact;
  to.waiting += tally.waiting;
  to.disabledFiles += disabled.length;
  if (tally.lastAlertAt >= since) to.devicesWithActiveAlert++;
  if (disabledFiles !== undefined) to.disabled.set(disabledFiles.id, disabledFiles);
  if (lostFiles !== undefined) to.lost.set(lostFiles.id, lostFiles);
}
