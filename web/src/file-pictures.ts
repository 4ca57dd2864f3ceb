/** Data of a file's charts. Times are in ms. */
import type { FileHistory, FileVersion } from '@sentinel-node/contracts';

/** Most bars of the versions chart. */
const BARS = 40;
/** Shortest time of a bar, in ms. */
const SHORTEST_BAR_MS = 60_000;

export interface VersionsBar {
  from: number;
  to: number;
  /** Number of versions; from a sample, the number of entries, spread evenly between known ones. */
  versions: number;
  /** Number of versions that broke the chain. */
  breaks: number;
}

const timeOf = ({ timestamp }: { timestamp: string }): number => Date.parse(timestamp);
const isBreak = ({ type }: Pick<FileVersion, 'type'>): boolean => type === 'BREAK' || type === 'OVERRIDEN';

/** Returns bars of versions from the first to now; empty without a version. */
export function versionBars(history: FileHistory, now: number): VersionsBar[] {
  const { versions, breaks, whole } = history;
  const [first] = versions;
  if (first === undefined) return [];
  const start = timeOf(first);
  const end = Math.max(now, ...versions.map(timeOf));
  const step = Math.max(SHORTEST_BAR_MS, Math.ceil((end - start + 1) / BARS));
  const bars = Array.from({ length: Math.ceil((end - start + 1) / step) }, (_, at) => {
    const from = start + at * step;
    return { from, to: from + step, versions: 0, breaks: 0 };
  });
  const barAt = (time: number): VersionsBar | undefined => bars[Math.floor((time - start) / step)];
  const add = (time: number, of: 'versions' | 'breaks', count: number): void => {
    const bar = barAt(time);
    if (bar !== undefined) bar[of] += count;
  };
  if (whole) {
    for (const version of versions) add(timeOf(version), 'versions', 1);
    for (const version of versions.filter(isBreak)) add(timeOf(version), 'breaks', 1);
    return bars;
  }
  add(start, 'versions', 1);
  for (const [at, version] of versions.entries()) spread(bars, versions[at - 1], version);
  for (const alert of breaks) add(timeOf(alert), 'breaks', 1);
  return bars.map((bar) => ({ ...bar, versions: Math.max(bar.breaks, Math.round(bar.versions)) }));
}

/** Spreads the entries between two known ones over the bars between their times. */
function spread(bars: VersionsBar[], before: FileVersion | undefined, version: FileVersion): void {
  if (before === undefined) return;
  const count = version.number - before.number;
  const [from, to] = [timeOf(before), timeOf(version)];
  for (const bar of bars) {
    const part = Math.min(bar.to, to + 1) - Math.max(bar.from, from + 1);
    if (part > 0) bar.versions += to === from ? count : (count * part) / (to - from);
    if (to === from && bar.from <= to && to < bar.to && part <= 0) bar.versions += count;
  }
}

export interface SizePoint {
  time: number;
  /** Size in bytes. */
  size: number;
  number: number;
  isBreak: boolean;
}

/** Returns the sizes over time, up to now, without versions that have no content. */
export function sizePoints({ versions }: Pick<FileHistory, 'versions'>, now: number): SizePoint[] {
  const points = versions.flatMap((version): SizePoint[] =>
    version.length === null
      ? []
      : [{ time: timeOf(version), size: version.length, number: version.number, isBreak: isBreak(version) }],
  );
  const last = points.at(-1);
  return last === undefined || last.time >= now
    ? points
    : [...points, { ...last, time: now, isBreak: false }];
}

/** Returns the times of a time axis's labels: `count` times from the first to the last. */
export function timeTicks(from: number, to: number, count: number): number[] {
  if (to <= from) return [from];
  return Array.from({ length: count }, (_, at) => Math.round(from + ((to - from) * at) / (count - 1)));
}

const DAY_MS = 86_400_000;
const clock = new Intl.DateTimeFormat('en-US', { hour: 'numeric', minute: '2-digit' });
const day = new Intl.DateTimeFormat('en-US', { month: 'short', day: 'numeric' });
const month = new Intl.DateTimeFormat('en-US', { month: 'short', year: 'numeric' });

/** Returns a function for labels of a time axis of length `span` (ms): a time, a day or a month. */
export function timeLabel(span: number): (time: number) => string {
  if (span <= DAY_MS) return (time) => clock.format(time);
  if (span <= 400 * DAY_MS) return (time) => day.format(time);
  return (time) => month.format(time);
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** Returns a short size for an axis: `12 KiB`. */
export function shortSize(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** power;
  return `${value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 1 : 0 })} ${UNITS[power] ?? ''}`;
}
