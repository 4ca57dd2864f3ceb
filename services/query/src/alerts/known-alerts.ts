/** The facts of one organisation's alerts, for lists, counts and groups. No I/O, no clock. */
import {
  COUNTED_FILTERS,
  keysOf,
  type AlertFilter,
  type AlertGrouping,
  type CountedFilter,
  type ListOrder,
} from '@sentinel-node/contracts';
import type { IdBounds } from '../lists/page.ts';
import { hasLine, type AlertFacts, type AlertSelection, type Counted, type Groups } from './alert-facts.ts';
import { CodedColumn, NO_CODE, NULL_CODE } from './coded-column.ts';

const COLUMNS = [...COUNTED_FILTERS, 'contentHash', 'deviceLabels', 'fileLabels'] as const;

const GROUPED = {
  DEVICE: 'deviceId',
  FILE: 'fileId',
  TYPE: 'type',
  CHANGE: 'contentHash',
} as const satisfies Record<AlertGrouping, keyof AlertFilter>;

interface Wanted {
  /** Index in `COLUMNS` of the compared column. */
  readonly at: number;
  readonly fits: (row: number) => boolean;
}

/** @boundedBy the pool `known-alerts`, which holds it */
export class KnownAlerts {
  readonly #rowOf = new Map<string, number>();
  /** Ids by row. */
  readonly #ids: string[] = [];
  /** Rows in the order of their alerts, oldest first. */
  readonly #order: number[] = [];
  readonly #columns = COLUMNS.map(() => new CodedColumn());
  /** The lowest version that the category and labels of each device with alerts come from. */
  readonly #revs = new Map<string, number>();

  get size(): number {
    return this.#ids.length;
  }

  /** Adds the alerts' facts, or replaces the earlier ones. */
  take(all: readonly AlertFacts[]): void {
    for (const facts of all) {
      const row = this.#rowOf.get(facts.id) ?? this.#newRow(facts.id);
      for (const [at, name] of COLUMNS.entries()) this.#columns[at]!.set(row, facts[name]);
      if (!this.#revs.has(facts.deviceId)) this.#revs.set(facts.deviceId, facts.deviceRev);
    }
  }

  /** Returns undefined when the device has no alert. */
  deviceRev(deviceId: string): number | undefined {
    return this.#revs.get(deviceId);
  }

  /** Returns the files of the device that have alerts. */
  filesOf(deviceId: string): Set<string> {
    const files = this.#column('fileId');
    return new Set(this.#rowsOf('deviceId', deviceId).map((row) => files.textOf(files.codes[row]!)));
  }

  /** Sets category and labels of all alerts of a device. */
  setDevice(deviceId: string, now: Pick<AlertFacts, 'category' | 'deviceLabels' | 'deviceRev'>): void {
    const rows = this.#rowsOf('deviceId', deviceId);
    if (rows.length === 0) return;
    this.#revs.set(deviceId, now.deviceRev);
    for (const name of ['category', 'deviceLabels'] as const)
      for (const row of rows) this.#column(name).set(row, now[name]);
  }

  /** Sets the labels of all alerts of files, in one pass over the alerts: a device has many files. */
  setFileLabels(labelsOf: ReadonlyMap<string, AlertFacts['fileLabels']>): void {
    const { codes, codeOf } = this.#coded('fileId');
    const wanted = new Map([...labelsOf].map(([fileId, labels]) => [codeOf(fileId), labels]));
    const column = this.#column('fileLabels');
    wanted.delete(NO_CODE);
    for (let row = 0; row < this.size; row++) {
      const labels = wanted.get(codes[row]!);
      if (labels !== undefined) column.set(row, labels);
    }
  }

  ids(filter: AlertSelection, bounds: IdBounds, limit: number, order: ListOrder = 'newest'): string[] {
    const wanted = this.#wanted(filter);
    const found: string[] = [];
    const [first, end] = this.#between(bounds);
    for (let step = 0; step < end - first && found.length < limit; step++) {
      const row = this.#order[order === 'oldest' ? first + step : end - 1 - step]!;
      if (hasAll(wanted, row)) found.push(this.#ids[row]!);
    }
    return found;
  }

  /** Returns the ids from this one on. */
  idsFrom(id: string): string[] {
    return this.#order.slice(this.#below(id)).map((row) => this.#ids[row]!);
  }

  idsAssignedTo(userId: string): string[] {
    return this.#rowsOf('assignee', userId).map((row) => this.#ids[row]!);
  }

  count(filter: AlertSelection, bounds: IdBounds): Counted {
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
        planned: valuesOf('planned'),
        window: valuesOf('window'),
        expected: valuesOf('expected'),
        list: valuesOf('list'),
      },
    };
  }

  /**
   * Returns the groups with most alerts first; equal groups by their newest alert. Grouping by change leaves out alerts
   * without content.
   * @param page number of groups to skip, and the most to return
   */
  groups(
    filter: AlertSelection,
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
      // Rows come newest first, so the first alert of a group is its newest.
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

  /** Computes the costlier counts, for few groups. @returns the counts by index in `shown` */
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

  /** Returns the matching rows, newest first. */
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

  #rowsOf(name: 'assignee' | 'deviceId', id: string): number[] {
    const { codes, codeOf } = this.#coded(name);
    const wanted = codeOf(id);
    const rows: number[] = [];
    if (wanted === NO_CODE) return rows;
    for (let row = 0; row < this.size; row++) if (codes[row] === wanted) rows.push(row);
    return rows;
  }

  #wanted({ label, within, ...filter }: AlertSelection): Wanted[] {
    const wanted = keysOf(filter).flatMap((name): Wanted[] => {
      const value = filter[name];
      if (value === undefined) return [];
      const { codes, codeOf } = this.#coded(name);
      const code = codeOf(value);
      return [{ at: COLUMNS.indexOf(name), fits: (row) => codes[row] === code }];
    });
    if (label !== undefined) wanted.push(this.#labelled(label));
    if (within !== undefined) wanted.push(this.#ofDevices(within));
    return wanted;
  }

  #labelled(label: string): Wanted {
    const [devices, files] = [this.#column('deviceLabels'), this.#column('fileLabels')];
    const has = (lines: string): boolean => hasLine(lines, label);
    const [ofDevice, ofFile] = [devices.codesWhere(has), files.codesWhere(has)];
    const [deviceCodes, fileCodes] = [devices.codes, files.codes];
    return {
      at: COLUMNS.indexOf('deviceLabels'),
      fits: (row) => ofDevice.has(deviceCodes[row]!) || ofFile.has(fileCodes[row]!),
    };
  }

  /** Stands for "no counted filter": alerts of other devices are never counted. */
  #ofDevices(within: ReadonlySet<string>): Wanted {
    const devices = this.#column('deviceId');
    const codes = devices.codesWhere((id) => within.has(id));
    return { at: COLUMNS.indexOf('deviceLabels'), fits: (row) => codes.has(devices.codes[row]!) };
  }

  #coded(name: (typeof COLUMNS)[number]) {
    const column = this.#column(name);
    return { codes: column.codes, codeOf: (text: string) => column.codeOf(text) };
  }

  #newRow(id: string): number {
    const row = this.#ids.push(id) - 1;
    this.#rowOf.set(id, row);
    this.#order.splice(this.#below(id), 0, row);
    return row;
  }

  /** Returns the range of positions in the order: first inclusive, second exclusive. */
  #between({ gt, gte, lt }: IdBounds): [number, number] {
    const first = Math.max(this.#below(gte ?? ''), gt === undefined ? 0 : this.#notAbove(gt));
    return [first, lt === undefined ? this.#order.length : this.#below(lt)];
  }

  /** Returns how many ids are not above. */
  #notAbove(id: string): number {
    return this.#below(id) + (this.#rowOf.has(id) ? 1 : 0);
  }

  /** Returns how many ids are below. Checks the end first, because new alerts are the newest. */
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

/** Returns the index of the only filter that the row fails. */
function missedFilter(wanted: readonly Wanted[], row: number): number {
  let missed = MISSES_NONE;
  for (const { at, fits } of wanted) {
    if (fits(row)) continue;
    if (missed !== MISSES_NONE) return MISSES_SEVERAL;
    missed = at;
  }
  return missed;
}

function hasAll(wanted: readonly Wanted[], row: number): boolean {
  for (const { fits } of wanted) if (!fits(row)) return false;
  return true;
}

/** Returns the counts without null and zeros. */
function textCounts(column: CodedColumn, tally: Readonly<Uint32Array>): Map<string, number> {
  const counts = new Map<string, number>();
  for (let code = NULL_CODE + 1; code < tally.length; code++)
    if (tally[code]! > 0) counts.set(column.textOf(code), tally[code]!);
  return counts;
}
