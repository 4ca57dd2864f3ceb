/** Tests that a status whose times alone change is confirmed, and that every other change is written at once. */
import { readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { readStatuses, statusText } from '../src/operate/status-command.ts';
import { markOf, StatusFile } from '../src/operate/status-file.ts';
import type { FileStatus, WrittenStatus } from '../src/status.ts';

const START_MS = Date.parse('2026-01-02T03:04:05.000Z');
const timeOf = (seconds: number): string => new Date(START_MS + seconds * 1_000).toISOString();

const file = (over: Partial<FileStatus> = {}): FileStatus => ({
  ...{ id: 'a', path: '/a', type: 'FOLLOW', everySeconds: 30, events: true, polling: null, archives: null },
  ...{ checkedAt: timeOf(0), problem: null, pending: false, waiting: 0 },
  ...over,
});
const status = (seconds: number, over: Partial<WrittenStatus> = {}): WrittenStatus => ({
  ...{ at: timeOf(seconds), startedAt: timeOf(-60), agentVersion: '0', organisation: 'o', device: 'd' },
  ...{ server: 'https://sentinel.example', lastHeartbeatAt: timeOf(0), heartbeatSeconds: 60, problem: null },
  ...{ clockOffsetMs: 3, waiting: 0, oldestUnsent: null, eventsWaiting: 0, setAside: 0, brokenPromises: 0 },
  ...{ receiptProblem: null, log: { lookedAt: timeOf(0), problem: null, unread: null } },
  ...{ files: [file(), file({ id: 'b', path: '/b' })], writtenEverySeconds: 30, notWatched: [] },
  ...over,
});

t.test('given that nothing but times changes, the mark of a status stays', (t) => {
  const mark = markOf(status(0));
  const later = { checkedAt: timeOf(29) };
  for (const [what, over] of [
    ['nothing', {}],
    ['a heartbeat', { lastHeartbeatAt: timeOf(29) }],
    ['one that is due', { at: timeOf(119), lastHeartbeatAt: timeOf(0) }],
    ['looks', { files: [file(later), file({ id: 'b', path: '/b', ...later })] }],
    ['a look at the log', { log: { lookedAt: timeOf(29), problem: null, unread: null } }],
    ['a clock within what is right', { clockOffsetMs: -200_000 }],
  ] as const)
    t.equal(markOf(status(30, over)), mark, what);
  t.end();
});

t.test('given any other change, the mark changes', (t) => {
  const marks = new Map([[markOf(status(0)), 'none']]);
  const changes: readonly [string, Partial<WrittenStatus>][] = [
    ['no heartbeat since the start', { lastHeartbeatAt: null }],
    ['an answer that is missing', { at: timeOf(120) }],
    ['two', { at: timeOf(180) }],
    ['so many that the device is lost', { at: timeOf(240) }],
    ['a problem', { problem: 'no' }],
    ['a clock that is off', { clockOffsetMs: 400_000 }],
    ['a clock that is not compared', { clockOffsetMs: null }],
    ['reports that wait', { waiting: 1, oldestUnsent: timeOf(0) }],
    ['an event that waits', { eventsWaiting: 1 }],
    ['a refused report', { setAside: 1 }],
    ['a broken promise', { brokenPromises: 1 }],
    ['a receipt that is missing', { receiptProblem: 'no receipt' }],
    ['a log that was not read', { log: { lookedAt: timeOf(0), problem: null, unread: 'ECONNREFUSED' } }],
    ['a log with a problem', { log: { lookedAt: timeOf(0), problem: 'CONTRADICTION', unread: null } }],
    ['a log that was not looked at', { log: { lookedAt: null, problem: null, unread: null } }],
    ['no log', { log: null }],
    ['a configuration that is not watched', { notWatched: ['x'] }],
    ['another file', { files: [file(), file(), file()] }],
    ...(
      [
        ['was not looked at', { checkedAt: null }],
        ['has a problem', { problem: 'EACCES' }],
        ['has another problem', { problem: 'LOOK_LATE' }],
        ['has archives that cannot be read', { archives: 'x' }],
        ['has no events', { polling: 'LINK', events: false }],
        ['is pending', { pending: true }],
        ['has a report that waits', { waiting: 1 }],
      ] as const
    ).map(([what, over]): [string, Partial<WrittenStatus>] => [
      `a file that ${what}`,
      { files: [file(), file(over)] },
    ]),
    ['the other file', { files: [file({ problem: 'EACCES' }), file()] }],
  ];
  for (const [what, over] of changes) {
    const mark = markOf(status(0, over));
    t.equal(marks.get(mark), undefined, what);
    marks.set(mark, what);
  }
  t.end();
});

t.test(
  'given a status file, unchanged statuses confirm it for nine turns, and others are written',
  async (t) => {
    const path = join(t.testdir(), 'status.json');
    const written = (): string => (JSON.parse(readFileSync(path, 'utf8')) as WrittenStatus).at;
    const confirmed = (): string => statSync(path).mtime.toISOString();
    const configuration = {};
    const statusFile = new StatusFile();
    for (let turn = 0; turn < 12; turn += 1) {
      await statusFile.write(path, status(turn), configuration);
      t.equal(written(), timeOf(turn < 10 ? 0 : 10), `turn ${turn}`);
      t.equal(confirmed(), timeOf(turn), 'the time of the file is that of the last turn');
    }
    await statusFile.write(path, status(12, { problem: 'no' }), configuration);
    t.equal(written(), timeOf(12), 'a change');
    await statusFile.write(path, status(13, { problem: 'no' }), configuration);
    t.equal(written(), timeOf(12));
    await statusFile.write(path, status(14, { problem: 'no' }), {});
    t.equal(written(), timeOf(14), 'another configuration, of as many files');
    await statusFile.write(path, status(15, { problem: 'no' }), configuration, true);
    t.equal(written(), timeOf(15), 'the last one');
  },
);

t.test('given a status file that is gone or cannot be written, the next status is written', async (t) => {
  const folder = t.testdir({ folder: {} });
  const path = join(folder, 'status.json');
  const configuration = {};
  const statusFile = new StatusFile();
  await statusFile.write(path, status(0), configuration);
  rmSync(path);
  await statusFile.write(path, status(1), configuration);
  t.equal(statSync(path).mtime.toISOString(), timeOf(1));
  const elsewhere = join(folder, 'folder');
  await t.rejects(statusFile.write(elsewhere, status(2), configuration), { code: 'EISDIR' });
  rmSync(elsewhere, { recursive: true });
  await statusFile.write(elsewhere, status(3), configuration);
  t.match(JSON.parse(readFileSync(elsewhere, 'utf8')), { at: timeOf(3) });
});

t.test('given a confirmed status, the command says until when nothing but times changed', async (t) => {
  const folder = t.testdir();
  const path = join(folder, 'status.json');
  const statusFile = new StatusFile();
  const configuration = {};
  await statusFile.write(path, status(0), configuration);
  const [fresh] = await readStatuses(folder, START_MS + 1_000);
  t.match(statusText(fresh!), `as of           ${timeOf(0)}\n`);
  await statusFile.write(path, status(30), configuration);
  const [found] = await readStatuses(folder, START_MS + 31_000);
  t.match(found, { confirmedAt: timeOf(30), status: { at: timeOf(0) } });
  t.match(statusText(found!), `as of           ${timeOf(0)}; until ${timeOf(30)} only times changed\n`);
  writeFileSync(path, 'no status');
  matchList(t, await readStatuses(folder), [{ status: null }]);
});
