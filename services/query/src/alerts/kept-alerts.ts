/** Keeps in memory the facts that filters, counts and groups need of organisations' alerts (decision 050). */
import type { FeedItem } from '@sentinel-node/contracts';
import { ApiError, LRUCache, type Clock, type DocumentStore, type Log } from '@sentinel-node/platform';
import { coveredFrom } from '../maintenance/index.ts';
import { inSteps } from '../storage/in-steps.ts';
import { OrganizationCache } from '../storage/organization-cache.ts';
import { pagesById } from '../storage/pages-by-id.ts';
import {
  type AlertView,
  type DeviceView,
  type ExpectedView,
  type FileView,
  type MaintenanceView,
  type UserView,
  VIEWS,
  viewsOf,
} from '../views/index.ts';
import { linesOf } from './alert-facts.ts';
import { factsOf } from './facts.ts';
import { KnownAlerts } from './known-alerts.ts';

export const KEPT_ALERTS = {
  /** The most kept alerts, of all organisations. */
  alerts: 200_000,
  /** Organisations that are loaded from the store in parallel. */
  loadsAtOnce: 2,
  /** Age at which a read reloads the kept facts (ms). */
  renewedEveryMs: 600_000,
} as const;

/** Documents of one read. Lists are read in between: with 1,000 a list took 130 to 190 ms meanwhile, with 200 some 30. */
const STEP_DOCUMENTS = 200;
/** Noted ids above which an organisation that nobody reads is dropped: they are not in the size of what is kept. */
const NOTED_IDS = 5_000;
/** Organisations that are known to have too many alerts. */
const LARGE_ORGANIZATIONS = 1_000;

export interface KeptAlertsDeps {
  readonly store: DocumentStore;
  readonly clock: Clock;
  readonly log: Log;
}

/** @boundedBy the alerts of the organisation, its devices and its users */
interface Held {
  readonly known: KnownAlerts;
  readonly alerts: Set<string>;
  readonly devices: Set<string>;
  /** Maintenance windows. */
  readonly windows: Set<string>;
  /** Lists of expected changes. */
  readonly lists: Set<string>;
  readonly users: Set<string>;
  /** Ids noted since the last read. */
  noted: number;
  reading: Promise<void>;
}

const nothingHeld = (): Held => ({
  known: new KnownAlerts(),
  alerts: new Set(),
  devices: new Set(),
  windows: new Set(),
  lists: new Set(),
  users: new Set(),
  noted: 0,
  reading: Promise.resolve(),
});

/** @pool known-alerts */
export class KeptAlerts {
  readonly #deps: KeptAlertsDeps;
  readonly #limits: Readonly<Record<keyof typeof KEPT_ALERTS, number>>;
  readonly #cache: OrganizationCache<Held>;
  /**
   * When (ms) organisations were found to have too many alerts.
   * @boundedBy LARGE_ORGANIZATIONS
   */
  readonly #large = new LRUCache<string, number>({ max: LARGE_ORGANIZATIONS });

  constructor(
    deps: KeptAlertsDeps,
    limits: Readonly<Record<keyof typeof KEPT_ALERTS, number>> = KEPT_ALERTS,
  ) {
    this.#deps = deps;
    this.#limits = limits;
    this.#cache = new OrganizationCache({
      clock: deps.clock,
      log: deps.log,
      maxSize: limits.alerts,
      loadsAtOnce: limits.loadsAtOnce,
      begin: nothingHeld,
      load: (orgId, held) => this.#load(orgId, held),
      catchUp: (orgId, held) => this.#catchUp(orgId, held),
      sizeOf: ({ known }) => known.size,
      renewAfterMs: () => limits.renewedEveryMs,
    });
  }

  /** Number of kept alerts. */
  get used(): number {
    return this.#cache.used;
  }

  /**
   * Sets the function with which a read makes sure that `noteChanges` has received every change. When it returns false, the
   * read reloads.
   */
  confirmBy(confirm: (orgId: string) => Promise<boolean>): void {
    this.#cache.confirmBy(confirm);
  }

  /** Notes the changed objects of an organisation. Drops its facts when too many are noted and nobody reads. */
  noteChanges(orgId: string, items: readonly Pick<FeedItem, 'kind' | 'id'>[]): void {
    for (const held of this.#cache.noting(orgId)) {
      for (const { kind, id } of items) {
        if (kind === 'alert') held.alerts.add(id);
        else if (kind === 'device') held.devices.add(id);
        else if (kind === 'maintenance') held.windows.add(id);
        else if (kind === 'expected') held.lists.add(id);
        else if (kind === 'user') held.users.add(id);
      }
      held.noted += items.length;
      if (held.noted > NOTED_IDS) this.drop(orgId);
    }
  }

  /** Drops the organisation's facts, because changes were missed. */
  drop(orgId: string): void {
    this.#cache.drop(orgId);
  }

  dropAll(): void {
    this.#cache.dropAll();
  }

  /**
   * Returns the current alerts of an organisation; undefined when it has more than are kept.
   * @throws ApiError OVERLOADED when too many organisations are being loaded
   */
  async get(orgId: string): Promise<KnownAlerts | undefined> {
    if (!(await this.#cache.confirm(orgId))) this.drop(orgId);
    if (!this.#cache.has(orgId) && this.#isLarge(orgId)) return undefined;
    const held = await this.#cache.get(orgId);
    if (held === 'BUSY') throw new ApiError('OVERLOADED');
    return held === 'TOO_LARGE' ? undefined : held.known;
  }

  /** Returns whether the organisation had too many alerts lately: it would be read in vain. The clock may have gone back. */
  #isLarge(orgId: string): boolean {
    const since = this.#large.get(orgId);
    return since !== undefined && Math.abs(this.#deps.clock.now() - since) < this.#limits.renewedEveryMs;
  }

  async #load(orgId: string, { known }: Held): Promise<boolean> {
    const { store, clock } = this.#deps;
    const loadedAt = clock.now();
    const isTooLarge = (alerts: number): boolean => {
      if (alerts > this.#limits.alerts) this.#large.set(orgId, loadedAt);
      return alerts > this.#limits.alerts;
    };
    if (isTooLarge(await store.count(VIEWS.alerts, { orgId }))) return false;
    for await (const page of pagesById(store, VIEWS.alerts, { orgId }, STEP_DOCUMENTS)) {
      known.take(await factsOf(store, page));
      if (isTooLarge(known.size)) return false;
    }
    return true;
  }

  /** Resolves when every change heard before the call is applied. One read at a time. */
  async #catchUp(orgId: string, held: Held): Promise<void> {
    const before = held.reading.catch(() => undefined);
    await (held.reading = before.then(() => {
      held.noted = 0;
      return this.#readHeard(orgId, held);
    }));
  }

  async #readHeard(orgId: string, { known, alerts, devices, windows, lists, users }: Held): Promise<void> {
    const { store } = this.#deps;
    const markAnew = (views: readonly (MaintenanceView | ExpectedView)[]): void => {
      for (const view of views) for (const id of known.idsFrom(coveredFrom(view))) alerts.add(id);
    };
    await inSteps(windows, STEP_DOCUMENTS, async (ids) =>
      markAnew(await store.getMany(VIEWS.maintenance, ids)),
    );
    await inSteps(lists, STEP_DOCUMENTS, async (ids) => markAnew(await store.getMany(VIEWS.expected, ids)));
    await inSteps(users, STEP_DOCUMENTS, async (ids) => {
      for (const { id, deleted } of await store.getMany<UserView>(VIEWS.users, ids))
        if (deleted) for (const alert of known.idsAssignedTo(id)) alerts.add(alert);
    });
    await inSteps(alerts, STEP_DOCUMENTS, async (ids) => {
      const found = await store.getMany<AlertView>(VIEWS.alerts, ids);
      known.take(
        await factsOf(
          store,
          found.filter((alert) => alert.orgId === orgId),
        ),
      );
    });
    await inSteps(devices, STEP_DOCUMENTS, async (ids) => {
      for (const device of await store.getMany<DeviceView>(VIEWS.devices, ids))
        if ((known.deviceRev(device.id) ?? device.rev) !== device.rev) await readDevice(store, known, device);
    });
  }
}

/** Applies the device and the labels of its files, because those change with the device's version. */
async function readDevice(
  store: DocumentStore,
  known: KnownAlerts,
  { id, category, labels, rev }: DeviceView,
): Promise<void> {
  const files = await viewsOf<FileView>(store, VIEWS.files, known.filesOf(id));
  const revs = [rev, ...[...files.values()].map((file) => file.rev)];
  known.setDevice(id, { category, deviceLabels: linesOf(labels), deviceRev: Math.min(...revs) });
  known.setFileLabels(new Map([...files.values()].map((file) => [file.id, linesOf(file.labels)])));
}
