/** What the pictures of a file are drawn from. */
import t from 'tap';
import type { FileHistory, FileVersion } from '@sentinel-node/contracts';
import { shortSize, sizePoints, timeLabel, timeTicks, versionBars } from '../src/files/file-pictures.ts';

const START = Date.UTC(2026, 0, 1);
const HOUR = 3_600_000;

const version = (number: number, at: number, more: Partial<FileVersion> = {}): FileVersion => ({
  id: `V${number}`,
  number,
  type: 'LINK',
  timestamp: new Date(at).toISOString(),
  length: 100 * number,
  ...more,
});

const history = (versions: FileVersion[], more: Partial<FileHistory> = {}): FileHistory => ({
  name: 'log',
  path: '/log',
  deleted: false,
  device: { id: 'd', name: 'device', enabled: true },
  entries: versions.length,
  present: null,
  versions,
  whole: true,
  breaks: [],
  olderBreaks: false,
  ...more,
});
const sum = (values: number[]): number => values.reduce((total, value) => total + value, 0);

t.test('every version of a short chain stands in one bar', (t) => {
  const versions = Array.from({ length: 97 }, (_, n) =>
    version(n, START + n * HOUR, n % 10 === 3 ? { type: n === 93 ? 'BREAK' : 'OVERRIDEN' } : {}),
  );
  const bars = versionBars(history(versions), START + 100 * HOUR);
  t.equal(sum(bars.map((bar) => bar.versions)), 97);
  t.equal(sum(bars.map((bar) => bar.breaks)), 10);
  t.ok(bars.length <= 41);
  t.equal(bars[0]?.from, START);
  t.ok((bars.at(-1)?.to ?? 0) >= START + 100 * HOUR, 'up to now');
  t.same(versionBars(history([]), START), []);
  t.equal(versionBars(history([version(0, START)]), START).length, 1);
  t.end();
});

t.test('of a sample the entries between two versions are spread over the time between them', (t) => {
  const versions = [version(0, START), version(1_000, START + 10 * HOUR), version(1_001, START + 40 * HOUR)];
  const sampled = history(versions, { whole: false, entries: 1_002 });
  const bars = versionBars(sampled, START + 40 * HOUR);
  const total = sum(bars.map((bar) => bar.versions));
  t.ok(Math.abs(total - 1_002) <= bars.length, `${total} of 1,002, but for rounding`);
  const early = sum(bars.filter(({ to }) => to <= START + 11 * HOUR).map((bar) => bar.versions));
  t.ok(early >= 950, `${early} in the first ten hours`);
  t.ok(Math.max(...bars.map((bar) => bar.versions)) < 200, 'and not all at once');
  t.end();
});

t.test('sizes go on until now, without versions that have none', (t) => {
  const versions = [
    version(1, START),
    version(2, START + HOUR, { length: null }),
    version(3, START + 2 * HOUR),
  ];
  t.same(
    sizePoints({ versions }, START + 5 * HOUR).map(({ time, size }) => [(time - START) / HOUR, size]),
    [
      [0, 100],
      [2, 300],
      [5, 300],
    ],
  );
  t.end();
});

t.test('the size of a file that is gone ends where it went', (t) => {
  const versions = [version(1, START), version(2, START + 2 * HOUR, { length: null, type: 'BREAK' })];
  const points = sizePoints({ versions }, START + 5 * HOUR);
  t.same(
    points.map(({ time, size }) => [(time - START) / HOUR, size]),
    [
      [0, 100],
      [2, 100],
    ],
  );
  t.end();
});

t.test('axes have short labels', (t) => {
  t.same(timeTicks(0, 90, 4), [0, 30, 60, 90]);
  t.same(timeTicks(5, 5, 4), [5]);
  t.same([0, 999, 1_536, 20_000_000, 3 * 1024 ** 4].map(shortSize), [
    '0 B',
    '999 B',
    '1.5 KiB',
    '19 MiB',
    '3 TiB',
  ]);
  t.end();
});

t.test('labels of times that stand beside each other differ, in the zone that is given', (t) => {
  const labels = (spanMs: number, zone: string): string[] =>
    timeTicks(START, START + spanMs, 4).map(timeLabel(spanMs, zone));
  t.same(labels(9_000, 'UTC'), ['12:00:00 AM', '12:00:03 AM', '12:00:06 AM', '12:00:09 AM']);
  t.same(labels(3 * HOUR, 'UTC'), ['12:00 AM', '1:00 AM', '2:00 AM', '3:00 AM']);
  t.same(labels(3 * HOUR, 'Asia/Tokyo'), ['9:00 AM', '10:00 AM', '11:00 AM', '12:00 PM']);
  t.same(labels(72 * HOUR, 'UTC'), ['Jan 1', 'Jan 2', 'Jan 3', 'Jan 4']);
  t.equal(labels(24 * 500 * HOUR, 'UTC')[0], 'Jan 2026');
  t.end();
});
