/** Tests one file's looks by hand, without an agent around it: a full disk, a full spool, a record that cannot be kept. */
import { mkdirSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { AgentClock } from '../src/clock.ts';
import type { ServerFile } from '../src/file-record.ts';
import { NO_MEMORY } from '../src/domain/memory.ts';
import { FileTask } from '../src/file-task.ts';
import { Gate } from '../src/gate.ts';
import { FolderWatches } from '../src/io/folder-watches.ts';
import { HashPool } from '../src/io/hash-pool.ts';
import { Schedule, type Due } from '../src/schedule.ts';
import { FileSpool } from '../src/state/spool.ts';
import type { StateStore } from '../src/state/store.ts';
import { fileId, hashOf, until } from './agent-process.ts';
import { openState } from './state-files.ts';

const HEALTH_MS = 60_000;
const NO_LINK = { number: null, linkHash: null };

/** A schedule whose looks the test runs. */
class HandSchedule extends Schedule {
  #planned: Due | undefined;
  plans = 0;
  /** Time from now to the look that was planned last, in ms. */
  inMs = Infinity;

  override plan(due: Due, atMs: number): number {
    this.#planned = due;
    this.plans += 1;
    this.inMs = atMs - performance.now();
    return 0;
  }

  override cancel(): void {
    // The next plan takes the place.
  }

  /** Runs the planned look, and waits for the plan of the next. */
  async look(): Promise<void> {
    const before = this.plans;
    this.#planned?.run();
    await until('the look is over', () => this.plans > before);
  }
}

/** @param before writes the state of an earlier run */
async function taskOf(t: Test, before?: (kept: StateStore) => Promise<void>) {
  const folder = t.testdir({ '0.log': 'one\n' });
  const state = join(folder, 'state');
  mkdirSync(state);
  const disk = { isFull: false };
  const kept = openState(state);
  await before?.(kept);
  const store: StateStore = {
    get epoch() {
      return kept.epoch;
    },
    rows: (owner) => kept.rows(owner),
    text: (...row) => kept.text(...row),
    owners: () => kept.owners(),
    keepOnly: (owners) => kept.keepOnly(owners),
    commit: (...changes) =>
      disk.isFull
        ? Promise.reject(Object.assign(new Error('no space'), { code: 'ENOSPC' }))
        : kept.commit(...changes),
  };
  const time = { aheadMs: 0 };
  const clock = new AgentClock({ wallMs: Date.now, steadyMs: () => performance.now() + time.aheadMs });
  const watches = new FolderWatches({
    platform: 'sunos',
    steadyMs: () => clock.steadyMs(),
    log: () => undefined,
  });
  const schedule = new HandSchedule();
  const hashing = new HashPool();
  const room = { bytes: 0, maxBytes: 1_000_000 };
  const counts = { asked: 0 };
  const notices: string[] = [];
  const logged: string[] = [];
  const task = FileTask.start({
    file: { id: fileId(0), path: '0.log', type: 'FOLLOW', rolled: false, modifiable: true, data: 'text' },
    path: join(folder, '0.log'),
    intervalMs: 1_000,
    configVersion: 1,
    agent: {
      ...{ clock, hashing, room, schedule, store, watches },
      looks: { local: new Gate(1), remote: new Gate(1) },
      log: (level, message) => void logged.push(`${level} ${message.slice(message.lastIndexOf('/') + 1)}`),
      notice: (code) => void notices.push(code),
      noticesDurable: () => Promise.resolve(),
      healthMs: () => HEALTH_MS,
      instanceId: '01900000-0000-7000-8000-000000000001',
      onReport: () => undefined,
      delivery: { isHeldUp: () => false, isTold: false, gatheredMs: 0 },
      onProblem: () => void (counts.asked += 1),
      hasAskedServer: () => true,
    },
  });
  t.teardown(async () => {
    await task.endLooks();
    watches.close();
    await hashing.close();
    kept.close();
  });
  const statusOf = () => task.status(() => '');
  await until('the folder is known', () => statusOf().polling === 'PLATFORM');
  const answer = (record: Partial<ServerFile> = {}): Promise<void> | undefined =>
    task.applyServerRecord({
      ...{ id: fileId(0), lastSequence: 0, hash: null, length: null },
      ...NO_LINK,
      ...record,
    });
  const write = (text: string): void => writeFileSync(join(folder, '0.log'), text);
  const changes = () => task.read(0, 10).map(({ report }) => report.change);
  const becomeUnreadable = (): void => {
    rmSync(join(folder, '0.log'));
    symlinkSync('0.log', join(folder, '0.log'));
  };
  const becomeReadable = (): void => {
    rmSync(join(folder, '0.log'));
    write('one\n');
  };
  return {
    ...{ answer, becomeReadable, becomeUnreadable, changes, counts, disk, logged, notices, room, schedule },
    ...{ statusOf, task, time, write },
  };
}

t.test('a file that cannot be looked at is logged once, and when it can be again', async (t) => {
  const { answer, becomeReadable, becomeUnreadable, logged, schedule, statusOf } = await taskOf(t);
  await answer();
  await schedule.look();
  t.strictSame(logged, []);
  becomeUnreadable();
  await schedule.look();
  await schedule.look();
  t.equal(statusOf().problem, 'ELOOP');
  t.strictSame(logged, ['error 0.log: cannot be looked at (ELOOP); the file is not checked']);
  becomeReadable();
  await schedule.look();
  t.equal(statusOf().problem, null);
  t.strictSame(logged.slice(1), ['info 0.log: can be looked at again']);
});

t.test(
  'given a server that had judged sequences of a time to come, its record from before frees lower ones',
  async (t) => {
    const { answer, schedule, task } = await taskOf(t);
    const nowUs = Date.now() * 1_000;
    const ahead = nowUs + 3 * 24 * 3_600_000_000;
    await answer({ lastSequence: ahead });
    await schedule.look();
    t.equal(task.newestSequence, ahead + 1);
    t.equal(await task.renumber(Date.now()), false, 'the server judges no lower one');
    await answer({ lastSequence: nowUs - 1_000_000 });
    t.equal(await task.renumber(Date.now()), true, 'its backup was restored');
    t.ok(task.newestSequence < nowUs + 3_600_000_000);
  },
);

t.test('a file whose results cannot be kept is looked at less and less often, and at no event', async (t) => {
  const { answer, changes, disk, schedule, statusOf, task, time } = await taskOf(t);
  await answer();
  disk.isFull = true;
  await schedule.look();
  t.equal(statusOf().problem, 'SPOOL_FAILING');
  t.ok(schedule.inMs < 1_000, 'soon at first: the disk may be full for a moment');
  for (const [aheadMs, least, most] of [
    [5_000, 5_000, 10_000],
    [3_600_000, 30_000, 60_000],
  ] as const) {
    time.aheadMs = aheadMs;
    await schedule.look();
    t.ok(schedule.inMs > least - 1_000 && schedule.inMs <= most, `${schedule.inMs} ms after ${aheadMs} ms`);
  }
  const { plans } = schedule;
  task.onFile();
  t.equal(schedule.plans, plans, 'each look reads the whole file');
  disk.isFull = false;
  await schedule.look();
  t.equal(statusOf().problem, null);
  t.same(changes(), ['FIRST']);
});

t.test('a file with a full spool is looked at when the server took some of its reports', async (t) => {
  const { answer, room, schedule, statusOf, task, time, write } = await taskOf(t);
  await answer();
  await schedule.look();
  write('one\ntwo\n');
  room.bytes += room.maxBytes;
  await schedule.look();
  t.equal(statusOf().problem, 'SPOOL_FULL');
  time.aheadMs = 3_600_000;
  await schedule.look();
  t.ok(schedule.inMs > 29_000);
  room.bytes -= room.maxBytes;
  await task.accepted(task.read(0, 1)[0]!, []);
  t.ok(schedule.inMs < 1_000);
  await schedule.look();
  t.equal(statusOf().problem, null);
});

t.test(
  'a record of the server that cannot be kept is asked for again, and no look comes before it',
  async (t) => {
    const version = (text: string) => ({ length: text.length, hash: hashOf(text) });
    const old = { ...NO_MEMORY, sequence: 1, identity: null, last: version('on') };
    const states = [undefined, (kept: StateStore) => FileSpool.open(kept, fileId(0)).adopt(old)];
    for (const [n, state] of states.entries())
      await t.test(['without a state', 'with an older state'][n] ?? '', async (t) => {
        const { answer, changes, counts, disk, notices, schedule, statusOf, write } = await taskOf(t, state);
        const record = { lastSequence: 9, ...version('one\n') };
        disk.isFull = true;
        await answer(record);
        t.equal(statusOf().problem, 'SPOOL_FAILING');
        disk.isFull = false;
        const { asked } = counts;
        write('one\ntwo\n');
        await schedule.look();
        t.same(changes(), [], 'a report now would tell of a change that was none');
        t.ok(counts.asked > asked, 'the server is asked again');
        t.notOk(notices.includes('STATE_RECOVERED'));
        await answer(record);
        await schedule.look();
        t.same(changes(), ['APPENDED']);
        t.equal(statusOf().problem, null);
        t.ok(notices.includes('STATE_RECOVERED'));
      });
  },
);
