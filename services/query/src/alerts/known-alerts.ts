/** What lists, counts and groups need of the alerts of one organisation. No I/O, no clock. */
import {
  COUNTED_FILTERS,
  keysOf,
  type AlertFilter,
  type AlertGrouping,
  type Category,
  type CountedFilter,
} from '@sentinel-node/contracts';
import type { IdBounds } from '../lists/page.ts';
import type { AlertFacts, Counted, Groups } from './alert-facts.ts';
import { CodedColumn, NO_CODE, NULL_CODE } from './coded-column.ts';

const COLUMNS = [...COUNTED_FILTERS, 'contentHash'] as const;

const GROUPED = {
  DEVICE: 'deviceId',
  FILE: 'fileId',
  TYPE: 'type',
  CHANGE: 'contentHash',
} as const satisfies Record<AlertGrouping, keyof AlertFilter>;

/** A filter: the column at this place of `COLUMNS` has the code. */
interface Wanted {
  readonly at: number;
  readonly codes: Readonly<Uint32Array>;
  readonly code: number;
}

/** @boundedBy the pool `known-alerts`, which holds it */
export class KnownAlerts {
  readonly #rowOf = new Map<string, number>();
  /** By row. */
  readonly #ids: string[] = [];
  /** Rows, those of older alerts first. */
  readonly #order: number[] = [];
  readonly #columns = COLUMNS.map(() => new CodedColumn());

  get size(): number {
    return this.#ids.length;
  }

  /** What was known of the same alerts before gives way. */
  take(all: readonly AlertFacts[]): void {
    for (const facts of all) {
      const row = this.#rowOf.get(facts.id) ?? this.#newRow(facts.id);
      for (const [at, name] of COLUMNS.entries()) this.#columns[at]!.set(row, facts[name]);
    }
  }

  /** The alerts of a device have another category from now on. */
  setCategory(deviceId: string, category: Category): void {
    const devices = this.#column('deviceId');
    const wanted = devices.codeOf(deviceId);
    if (wanted === NO_CODE) return;
    const categories = this.#column('category');
    for (let row = 0; row < this.size; row++)
      if (devices.codes[row] === wanted) categories.set(row, category);
  }

  /** Newest first. */
  ids(filter: AlertFilter, bounds: IdBounds, limit: number): string[] {
    const wanted = this.#wanted(filter);
    const found: string[] = [];
    const [first, end] = this.#between(bounds);
    for (let at = end - 1; at >= first && found.length < limit; at--) {
      const row = this.#order[at]!;
      if (hasAll(wanted, row)) found.push(this.#ids[row]!);
    }
    return found;
  }

  count(filter: AlertFilter, bounds: IdBounds): Counted {
    const wanted = this.#wanted(filter);
    const columns = COUNTED_FILTERS.map((name) => this.#column(name));
    const tallies = columns.map(({ size }) => new Uint32Array(size));
    const codes = columns.map((column) => column.codes);
    const [first, end] = this.#between(bounds);
    let alerts = 0;
    for (let place = first; place < end; place++) {
      const row = this.#order[place]!;
      const missed = missedFilter(wanted, row);
      if (missed === MISSES_NONE) {
        alerts++;
        for (let at = 0; at < tallies.length; at++) tallies[at]![codes[at]![row]!]!++;
      } else if (missed >= 0 && missed < tallies.length) tallies[missed]![codes[missed]![row]!]!++;
    }
    const valuesOf = (name: CountedFilter): Map<string, number> => {
      const at = COUNTED_FILTERS.indexOf(name);
      return textCounts(columns[at]!, tallies[at]!);
    };
    return {
      alerts,
      values: {
        status: valuesOf('status'),
        type: valuesOf('type'),
        category: valuesOf('category'),
        deviceId: valuesOf('deviceId'),
        fileId: valuesOf('fileId'),
        handledBy: valuesOf('handledBy'),
        assignee: valuesOf('assignee'),
      },
    };
  }

  /**
   * Those with most alerts first, of equal ones that with the newest. Alerts without content are in no group by change.
   * @param page how many groups are left out, and how many are wanted
   */
  groups(
    filter: AlertFilter,
    bounds: IdBounds,
    by: AlertGrouping,
    { skip, limit }: { readonly skip: number; readonly limit: number },
  ): Groups {
    const keys = this.#column(GROUPED[by]);
    const rows = this.#rows(this.#wanted(filter), bounds);
    const alerts = new Uint32Array(keys.size);
    const newest = new Uint32Array(keys.size);
    for (const row of rows) {
      const code = keys.codes[row]!;
      // The first that is met is the newest.
      if (alerts[code]!++ === 0) newest[code] = row;
    }
    const all: number[] = [];
    for (let code = NULL_CODE + 1; code < keys.size; code++) if (alerts[code]! > 0) all.push(code);
    const newestOf = (code: number): string => this.#ids[newest[code]!]!;
    all.sort((a, b) => alerts[b]! - alerts[a]! || (newestOf(a) < newestOf(b) ? 1 : -1));
    const shown = all.slice(skip, skip + limit);
    const more = this.#moreOf(keys, shown, rows);
    const groups = shown.map((code, at) => ({
      key: keys.textOf(code),
      alerts: alerts[code]!,
      newest: newestOf(code),
      ...more(at),
    }));
    return { groups, total: all.length };
  }

  /** What is dearer to count, of few groups. @returns by the place in `shown` */
  #moreOf(keys: CodedColumn, shown: readonly number[], rows: readonly number[]) {
    const placeOf = new Int32Array(keys.size).fill(-1);
    for (const [at, code] of shown.entries()) placeOf[code] = at;
    const active = new Uint32Array(shown.length);
    const devices = shown.map(() => new Set<number>());
    const files = shown.map(() => new Set<number>());
    const isActive = this.#column('status').codeOf('ACTIVE');
    const [{ codes: statusOf }, { codes: deviceOf }, { codes: fileOf }] = [
      this.#column('status'),
      this.#column('deviceId'),
      this.#column('fileId'),
    ];
    for (const row of rows) {
      const at = placeOf[keys.codes[row]!]!;
      if (at < 0) continue;
      if (statusOf[row] === isActive) active[at]!++;
      devices[at]!.add(deviceOf[row]!);
      files[at]!.add(fileOf[row]!);
    }
    return (at: number) => ({ active: active[at]!, devices: devices[at]!.size, files: files[at]!.size });
  }

  /** Newest first. */
  #rows(wanted: readonly Wanted[], bounds: IdBounds): number[] {
    const found: number[] = [];
    const [first, end] = this.#between(bounds);
    for (let at = end - 1; at >= first; at--) {
      const row = this.#order[at]!;
      if (hasAll(wanted, row)) found.push(row);
    }
    return found;
  }

  #column(name: (typeof COLUMNS)[number]): CodedColumn {
    return this.#columns[COLUMNS.indexOf(name)]!;
  }

  #wanted(filter: AlertFilter): Wanted[] {
    return keysOf(filter).flatMap((name) => {
      const value = filter[name];
      if (value === undefined) return [];
      const column = this.#column(name);
      return [{ at: COLUMNS.indexOf(name), codes: column.codes, code: column.codeOf(value) }];
    });
  }

  #newRow(id: string): number {
    const row = this.#ids.push(id) - 1;
    this.#rowOf.set(id, row);
    this.#order.splice(this.#below(id), 0, row);
    return row;
  }

  /** Places in the order: from the first, below the second. */
  #between({ gte, lt }: IdBounds): [number, number] {
    const first = gte === undefined ? 0 : this.#below(gte);
    return [first, lt === undefined ? this.#order.length : this.#below(lt)];
  }

  /** How many ids are below. New alerts are the newest, so that the end is looked at first. */
  #below(id: string): number {
    const idAt = (place: number): string => this.#ids[this.#order[place]!]!;
    const count = this.#order.length;
    if (count === 0 || idAt(count - 1) < id) return count;
    let [low, high] = [0, count];
    while (low < high) {
      const middle = (low + high) >>> 1;
      if (idAt(middle) < id) low = middle + 1;
      else high = middle;
    }
    return low;
  }
}

const MISSES_NONE = -1;
const MISSES_SEVERAL = -2;

/** The place of the only filter that the row does not pass. */
function missedFilter(wanted: readonly Wanted[], row: number): number {
  let missed = MISSES_NONE;
  for (const { at, codes, code } of wanted) {
    if (codes[row] === code) continue;
    if (missed !== MISSES_NONE) return MISSES_SEVERAL;
    missed = at;
  }
  return missed;
}

function hasAll(wanted: readonly Wanted[], row: number): boolean {
  for (const { codes, code } of wanted) if (codes[row] !== code) return false;
  return true;
}

/** Without null, and without those of which there are none. */
function textCounts(column: CodedColumn, tally: Readonly<Uint32Array>): Map<string, number> {
  const counts = new Map<string, number>();
  for (let code = NULL_CODE + 1; code < tally.length; code++)
    if (tally[code]! > 0) counts.set(column.textOf(code), tally[code]!);
  return counts;
}
