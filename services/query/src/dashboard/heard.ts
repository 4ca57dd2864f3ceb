/** Objects of an organisation to read again: named by the feed, or written by this process for the first time. */
import type { FeedItem } from '@sentinel-node/contracts';
import type { Document, DocumentStore } from '@sentinel-node/platform';
import { inSteps } from '../storage/in-steps.ts';
import { marksOf } from '../maintenance/index.ts';
import { VIEWS, type AlertView, type ViewName } from '../views/index.ts';
import type { KnownOrganization } from './known-organization.ts';

/** Objects of one read. */
const STEP_DOCUMENTS = 500;
/** How often one call reads alerts that occur again meanwhile; the next call goes on. */
const ALERT_ROUNDS = 3;

/** @boundedBy the files of the organisation and its alerts of the minutes between two checks */
export class ChangedObjects {
  readonly #devices = new Set<string>();
  readonly #files = new Set<string>();
  readonly #alerts = new Set<string>();
  readonly #windows = new Set<string>();
  readonly #lists = new Set<string>();
  #reading: Promise<void> = Promise.resolve();
  #readers = 0;

  /** True when no object waits and no read is running. */
  get isEmpty(): boolean {
    const heard = [this.#devices, this.#files, this.#alerts, this.#windows, this.#lists];
    return this.#readers === 0 && heard.every(({ size }) => size === 0);
  }

  add(items: readonly FeedItem[]): void {
    for (const { kind, id } of items) {
      if (kind === 'device') this.#devices.add(id);
      else if (kind === 'file') this.#files.add(id);
      else if (kind === 'alert') this.#alerts.add(id);
      else if (kind === 'maintenance') this.#windows.add(id);
      else if (kind === 'expected') this.#lists.add(id);
    }
  }

  /** Resolves when every object added before the call is in `organization`. One read at a time. */
  async readInto(store: DocumentStore, orgId: string, organization: KnownOrganization): Promise<void> {
    if (this.isEmpty) return;
    this.#readers++;
    try {
      const before = this.#reading.catch(() => undefined);
      await (this.#reading = before.then(() => this.#read(store, orgId, organization)));
    } finally {
      this.#readers--;
    }
  }

  async #read(store: DocumentStore, orgId: string, organization: KnownOrganization): Promise<void> {
    const take = async (name: ViewName, ids: readonly string[]): Promise<Document[]> => {
      const found = ids.length === 0 ? [] : await store.getMany(name, ids);
      const own = found.filter((document) => document['orgId'] === orgId);
      organization.take(name, own, 'stored');
      return own;
    };
    const heard = new Set<string>();
    await inSteps(this.#devices, STEP_DOCUMENTS, async (ids) => {
      for (const name of [VIEWS.devices, VIEWS.deviceContacts]) await take(name, ids);
      for (const name of [VIEWS.deviceActivity, VIEWS.deviceFirstContacts]) await take(name, ids);
      for (const id of ids) heard.add(id);
    });
    await inSteps(this.#files, STEP_DOCUMENTS, async (ids) => {
      const [files] = await Promise.all([take(VIEWS.files, ids), take(VIEWS.fileStates, ids)]);
      // A report is also a contact of its device, which processes of earlier versions do not name.
      const deviceIds = [...new Set(files.map(({ deviceId }) => String(deviceId)))].filter(
        (id) => !heard.has(id),
      );
      for (const name of [VIEWS.deviceActivity, VIEWS.deviceFirstContacts]) await take(name, deviceIds);
    });
    await inSteps(this.#windows, STEP_DOCUMENTS, (ids) => take(VIEWS.maintenance, ids));
    await inSteps(this.#lists, STEP_DOCUMENTS, (ids) => take(VIEWS.expected, ids));
    for (let round = 0; round < ALERT_ROUNDS; round++) {
      this.add(organization.takeMet());
      await this.#readAlerts(store, orgId, organization);
    }
    this.add(organization.takeMet());
  }

  #readAlerts(store: DocumentStore, orgId: string, organization: KnownOrganization): Promise<void> {
    return inSteps(this.#alerts, STEP_DOCUMENTS, async (ids) => {
      const found = await store.getMany<AlertView>(VIEWS.alerts, ids);
      const own = found.filter((alert) => alert.orgId === orgId);
      const marks = await marksOf(store, own);
      organization.take(VIEWS.alerts, own, 'stored');
      organization.setAside(own, marks);
    });
  }
}
