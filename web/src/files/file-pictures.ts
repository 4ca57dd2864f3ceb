/** The data of the pictures of a file. Times are milliseconds. */
import type { FileHistory, FileVersion } from '../answers.ts';

/** Bars of the picture of versions. */
const BARS = 40;
/** A bar is at least so long. */
const SHORTEST_BAR_MS = 60_000;

export interface VersionsBar {
  from: number;
  to: number;
  /** Of a sample, entries in place of versions, spread evenly between two that are known. */
  versions: number;
  /** Those of them that broke the chain. */
  breaks: number;
}

const timeOf = ({ timestamp }: { timestamp: string }): number => Date.parse(timestamp);
const isBreak = ({ type }: Pick<FileVersion, 'type'>): boolean => type === 'BREAK' || type === 'OVERRIDEN';

/** Versions by time, from the first to now; empty without a version. */
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

/** The entries between two that are known, over the bars between their times. */
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
  /** Bytes. */
  size: number;
  number: number;
  isBreak: boolean;
}

/** Sizes over time, up to now, or until the content was gone; versions without content are left out. */
export function sizePoints({ versions }: Pick<FileHistory, 'versions'>, now: number): SizePoint[] {
  const points = versions.flatMap((version): SizePoint[] =>
    version.length === null
      ? []
      : [{ time: timeOf(version), size: version.length, number: version.number, isBreak: isBreak(version) }],
  );
  const last = points.at(-1);
  const newest = versions.at(-1);
  const end = newest?.length === null ? timeOf(newest) : now;
  return last === undefined || last.time >= end
    ? points
    : [...points, { ...last, time: end, isBreak: false }];
}

/** Where an axis of time has its labels: `count` times from the first to the last. */
export function timeTicks(from: number, to: number, count: number): number[] {
  if (to <= from) return [from];
  return Array.from({ length: count }, (_, at) => Math.round(from + ((to - from) * at) / (count - 1)));
}

const MINUTE_MS = 60_000;
const DAY_MS = 86_400_000;
/** Up to each span (ms), how a label of an axis is written: a time, a day or a month. */
const LABELS: readonly (readonly [number, Intl.DateTimeFormatOptions])[] = [
  [10 * MINUTE_MS, { hour: 'numeric', minute: '2-digit', second: '2-digit' }],
  [DAY_MS, { hour: 'numeric', minute: '2-digit' }],
  [400 * DAY_MS, { month: 'short', day: 'numeric' }],
  [Infinity, { month: 'short', year: 'numeric' }],
];

/** Returns the label of a time (ms) on an axis of the given span (ms). @param timeZone IANA name */
export function timeLabel(span: number, timeZone: string): (time: number) => string {
  const [, options] = LABELS.find(([longest]) => span <= longest) ?? LABELS.at(-1)!;
  const format = new Intl.DateTimeFormat('en-US', {
    ...options,
    timeZone,
  });
  return (time) => format.format(time);
}

const UNITS = ['B', 'KiB', 'MiB', 'GiB', 'TiB'] as const;

/** `12 KiB`: short, for an axis. */
export function shortSize(bytes: number): string {
  const power = Math.min(UNITS.length - 1, Math.floor(Math.log2(Math.max(1, bytes)) / 10));
  const value = bytes / 1024 ** power;
  return `${value.toLocaleString('en-US', { maximumFractionDigits: value < 10 ? 1 : 0 })} ${UNITS[power] ?? ''}`;
}
