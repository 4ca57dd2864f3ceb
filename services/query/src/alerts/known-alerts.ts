/** What lists, counts and groups need of the alerts of one organisation. No I/O, no clock. */
import {
  COUNTED_FILTERS,
  keysOf,
  type AlertFilter,
  type AlertGrouping,
  type AlertStatus,
  type AlertType,
  type Category,
  type CountedFilter,
} from '@sentinel-node/contracts';
import type { IdBounds } from '../lists/page.ts';

/** Of one alert. */
export interface AlertFacts {
  readonly id: string;
  readonly status: AlertStatus;
  readonly type: AlertType;
  readonly category: Category | null;
  readonly deviceId: string;
  readonly fileId: string;
  /** Id of a user; null: nobody has. */
  readonly handledBy: string | null;
  /** Id of a user, or `NOBODY`. */
  readonly assignee: string;
  readonly contentHash: string | null;
}

/** Of each value of each filter, how many alerts it leaves with the other filters. */
export interface Counted {
  alerts: number;
  readonly values: Readonly<Record<CountedFilter, Map<string, number>>>;
}

export interface Group {
  readonly key: string;
  alerts: number;
  active: number;
  readonly devices: Set<string>;
  readonly files: Set<string>;
  /** Id of its newest alert. */
  newest: string;
}

type Wanted = readonly (readonly [keyof AlertFilter, string])[];

const FIELDS = {
  DEVICE: 'deviceId',
  FILE: 'fileId',
  TYPE: 'type',
  CHANGE: 'contentHash',
} as const satisfies Record<AlertGrouping, keyof AlertFilter>;

const COUNTED: ReadonlySet<string> = new Set(COUNTED_FILTERS);
const isCounted = (key: string): key is CountedFilter => COUNTED.has(key);

const wantedOf = (filter: AlertFilter): Wanted =>
  keysOf(filter).flatMap((key) => {
    const value = filter[key];
    return value === undefined ? [] : [[key, value] as const];
  });

export const isWanted = (facts: AlertFacts, filter: AlertFilter): boolean =>
  wantedOf(filter).every(([key, value]) => facts[key] === value);

/** @boundedBy the pool `known-alerts`, which holds it */
export class KnownAlerts {
  readonly #facts = new Map<string, AlertFacts>();
  /** Ascending, that is oldest first. */
  readonly #ids: string[] = [];
  /** By device. */
  readonly #categories = new Map<string, Category | null>();

  get size(): number {
    return this.#ids.length;
  }

  /** What was known of the same alerts before gives way. */
  take(all: readonly AlertFacts[]): void {
    for (const facts of all) {
      if (!this.#facts.has(facts.id)) this.#ids.splice(this.#below(facts.id), 0, facts.id);
      this.#facts.set(facts.id, facts);
      this.#categories.set(facts.deviceId, facts.category);
    }
  }

  /** The alerts of a device have another category from now on. */
  setCategory(deviceId: string, category: Category): void {
    const before = this.#categories.get(deviceId);
    if (before === undefined || before === category) return;
    this.#categories.set(deviceId, category);
    for (const [id, facts] of this.#facts)
      if (facts.deviceId === deviceId)
        this.#facts.set(id, { ...facts, category });
  }

  /** Newest first. */
  ids(filter: AlertFilter, bounds: IdBounds, limit: number): string[] {
    const wanted = wantedOf(filter);
    const found: string[] = [];
    for (const facts of this.#between(bounds)) {
      if (!wanted.every(([key, value]) => facts[key] === value)) continue;
      found.push(facts.id);
      if (found.length === limit) break;
    }
    return found;
  }

  count(filter: AlertFilter, bounds: IdBounds): Counted {
    const wanted = wantedOf(filter);
    const counted = nothingCounted();
    for (const facts of this.#between(bounds)) {
      const missed = wanted.filter(([key, value]) => facts[key] !== value);
      if (missed.length > 1) continue;
      const [only] = missed;
      if (only !== undefined) {
        if (isCounted(only[0])) add(counted, only[0], facts);
        continue;
      }
      counted.alerts++;
      for (const key of COUNTED_FILTERS) add(counted, key, facts);
    }
    return counted;
  }

  /** Those with most alerts first, of equal ones that with the newest. Alerts without content are in no group by change. */
  groups(filter: AlertFilter, bounds: IdBounds, by: AlertGrouping): Group[] {
    const wanted = wantedOf(filter);
    const groups = new Map<string, Group>();
    for (const facts of this.#between(bounds)) {
      const key = facts[FIELDS[by]];
      if (key === null || !wanted.every(([name, value]) => facts[name] === value)) continue;
      addTo(groups, key, facts);
    }
    return [...groups.values()].sort(
      (one, other) => other.alerts - one.alerts || (one.newest < other.newest ? 1 : -1),
    );
  }

  *#between({ gte, lt }: IdBounds): Generator<AlertFacts> {
    const first = gte === undefined ? 0 : this.#below(gte);
    const end = lt === undefined ? this.#ids.length : this.#below(lt);
    for (let at = end - 1; at >= first; at--) yield this.#facts.get(this.#ids[at]!)!;
  }

  /** How many ids are below. New alerts are the newest, so that the end is looked at first. */
  #below(id: string): number {
    const ids = this.#ids;
    if (ids.length === 0 || ids.at(-1)! < id) return ids.length;
    let [low, high] = [0, ids.length];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (ids[middle]! < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const nothingCounted = (): Counted => ({
  alerts: 0,
  values: {
    status: new Map(),
    type: new Map(),
    category: new Map(),
    deviceId: new Map(),
    fileId: new Map(),
    handledBy: new Map(),
    assignee: new Map(),
  },
});

function add({ values }: Counted, key: CountedFilter, facts: AlertFacts): void {
  const value = facts[key];
  if (value !== null) values[key].set(value, (values[key].get(value) ?? 0) + 1);
}

function addTo(groups: Map<string, Group>, key: string, facts: AlertFacts): void {
  let group = groups.get(key);
  if (group === undefined) {
    // The first that is met is the newest.
    group = { key, alerts: 0, active: 0, devices: new Set(), files: new Set(), newest: facts.id };
    groups.set(key, group);
  }
  group.alerts++;
  if (facts.status === 'ACTIVE') group.active++;
  group.devices.add(facts.deviceId);
  group.files.add(facts.fileId);
}
