/** Tests that an agent whose heartbeats are answered does not look well while its reports are not taken. */
import { appendFileSync, mkdtempSync, rmSync, truncateSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import t, { type Test } from 'tap';
import { Agent } from '../src/agent.ts';
import { Delivery } from '../src/delivery.ts';
import { LOCAL_LOOKS } from '../src/gate.ts';
import { HashPool } from '../src/io/hash-pool.ts';
import { LARGE_BYTES } from '../src/io/piece-reads.ts';
import { isStateInUse } from '../src/io/state-lock.ts';
import { faultsOf } from '../src/operate/status-command.ts';
import { notLookedAt, uncheckedFiles, type AgentStatus } from '../src/status.ts';
import { configurationOf, FILE_MS, fileId, stage, until, type WatchedFile } from './agent-process.ts';
import { StubServer } from './stub-server.ts';

t.setTimeout(FILE_MS);

const HEALTH_MS = 10_000;
const store = { text: () => undefined, commit: () => Promise.resolve() };
/** @param keptMs steady time; default: now, whatever the sequence says */
const waiting = (sequence: number, keptMs = Infinity) => [
  { sequence, keptMs, timestamp: '2026-01-02T03:04:05.000Z', bytes: 1 },
];

/** Faults of a status that was just made. */
const faultsNow = (status: AgentStatus): string => {
  const atMs = Date.parse(status.at);
  return faultsOf(true, status, atMs, atMs).join();
};

t.test('answers that were kept in another form count as none', (t) => {
  const time = () => 100_000;
  const said = () => undefined;
  const clocks = { serverMs: time, steadyMs: time, healthMs: () => HEALTH_MS, gatheredMs: () => 0 };
  for (const text of ['{', 'null', '5', '{"atMs":"x","sinceMs":"y","isTold":true}', '{"isTold":true}']) {
    const kept = { ...store, text: () => text };
    const delivery = new Delivery({ ...clocks, store: kept, log: said, notice: said });
    delivery.load();
    t.equal(delivery.isTold, false, text);
    t.equal(delivery.isHeldUp(waiting(0)), false, text);
  }
  t.end();
});

t.test('reports are held up when they wait for two intervals in which heartbeats are answered', (t) => {
  let nowMs = 0;
  const time = () => nowMs;
  const said = () => undefined;
  const clocks = { serverMs: time, steadyMs: time, healthMs: () => HEALTH_MS, gatheredMs: () => 0 };
  const delivery = new Delivery({ ...clocks, store, log: said, notice: said });
  const beatAt = (ms: number): void => {
    nowMs = ms;
    delivery.recordAnswer(1);
  };
  nowMs = 100_000;
  t.equal(delivery.isHeldUp(waiting(0)), false, 'no heartbeat was answered: the server knows');
  beatAt(100_000);
  t.equal(delivery.isHeldUp(waiting(0)), false, 'after an outage they have time');
  for (const ms of [110_000, 129_999, 145_000]) beatAt(ms);
  t.equal(delivery.isHeldUp(waiting(0)), true);
  t.equal(delivery.isHeldUp(waiting(125_000_000)), false, 'a young one');
  const ahead = 1e9 * HEALTH_MS;
  t.equal(
    delivery.isHeldUp(waiting(ahead, 124_999)),
    true,
    'whatever its sequence is, of a clock that was ahead',
  );
  t.equal(delivery.isHeldUp(waiting(ahead, 125_000)), false);
  t.equal(delivery.isHeldUp([]), false);
  nowMs = 164_999;
  t.equal(delivery.isHeldUp(waiting(125_000_000)), true);
  nowMs = 165_000;
  t.equal(delivery.isHeldUp(waiting(125_000_000)), false, 'heartbeats are not answered either');
  beatAt(165_000);
  t.equal(delivery.isHeldUp(waiting(0)), false, 'the server was away again');
  for (const ms of [175_000, 185_000]) beatAt(ms);
  t.equal(delivery.isHeldUp(waiting(0)), false);
  beatAt(185_001);
  t.equal(delivery.isHeldUp(waiting(0)), true);
  nowMs = 186_000;
  delivery.recordOutage();
  t.equal(delivery.isHeldUp(waiting(0)), false, 'a heartbeat did not reach the server');
  for (const ms of [187_000, 197_000, 207_000]) beatAt(ms);
  t.equal(delivery.isHeldUp(waiting(0)), false, 'a short outage gives them time, too');
  beatAt(207_001);
  t.equal(delivery.isHeldUp(waiting(0)), true);
  t.end();
});

t.test('a pause of the machine, of which only the server knows, is an outage', (t) => {
  const PAUSE_MS = 3_600_000;
  let [steadyMs, pausedMs] = [0, 0];
  const said = () => undefined;
  const clocks = {
    steadyMs: () => steadyMs,
    serverMs: () => steadyMs + pausedMs,
    healthMs: () => HEALTH_MS,
    gatheredMs: () => 0,
  };
  const delivery = new Delivery({ ...clocks, store, log: said, notice: said });
  for (; steadyMs <= 50_000; steadyMs += HEALTH_MS) delivery.recordAnswer(1);
  const before = waiting(49_000_000);
  t.equal(delivery.isHeldUp(before), false);
  pausedMs = PAUSE_MS;
  t.equal(delivery.isHeldUp(before), false, 'another call was answered first');
  delivery.recordAnswer(1);
  t.equal(delivery.isHeldUp(before), false, 'it has time from now on');
  for (; steadyMs <= 90_000; steadyMs += HEALTH_MS) delivery.recordAnswer(1);
  t.equal(delivery.isHeldUp(before), true);
  t.end();
});

/** A pool that keeps looks waiting while it is stuck. */
class StuckPool extends HashPool {
  isStuck = false;
  /** End of the paths whose looks wait; default: all. */
  stuckAt = '';
  readonly #waiting: (() => void)[] = [];

  constructor() {
    super({ workers: 1, bytesPerSecond: 1e12 }); // with a rate small files go through the pool, too
  }

  override async hash(...asked: Parameters<HashPool['hash']>): ReturnType<HashPool['hash']> {
    if (this.isStuck && asked[0].endsWith(this.stuckAt))
      await new Promise<void>((resolve) => this.#waiting.push(resolve));
    return super.hash(...asked);
  }

  get isWaiting(): boolean {
    return this.#waiting.length > 0;
  }

  free(): void {
    this.isStuck = false;
    for (const end of this.#waiting.splice(0)) end();
  }
}

async function agentIn(
  t: Test,
  hashing = new StuckPool(),
  files: readonly Partial<WatchedFile>[] = [{}, {}],
) {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-delivery-'));
  const server = new StubServer();
  const configuration = configurationOf(folder, await server.listen(), files);
  server.configuration = configuration;
  for (const { path } of configuration.files) {
    writeFileSync(join(folder, path), 'one\n');
    if (path.endsWith('.large')) truncateSync(join(folder, path), LARGE_BYTES + 1);
  }
  const said: string[] = [];
  let asleepMs = 0;
  const newAgent = (): Agent =>
    new Agent({
      configuration,
      stateDir: join(folder, 'state'),
      hashing,
      log: (_, message) => void said.push(message),
      time: {
        wallMs: () => Date.now() + server.aheadMs,
        steadyMs: () => performance.now() + server.aheadMs - asleepMs,
      },
    });
  let agent = newAgent();
  await agent.start();
  t.teardown(async () => {
    hashing.free();
    await agent.stop();
    await hashing.close();
    server.close();
    rmSync(folder, { recursive: true, force: true });
  });
  const problems = () => server.heartbeats.at(-1)?.files.map(({ problem }) => problem);
  const appendTo = (n: number): void => appendFileSync(join(folder, `${n}.log`), 'two\n');
  const append = (): void => appendTo(0);
  /** Waits for a heartbeat at this time after the machine's, in ms. */
  const beat = async (aheadMs = 0): Promise<void> => {
    server.aheadMs = aheadMs;
    const before = server.heartbeats.length;
    agent.sendHeartbeatSoon();
    await until('a heartbeat', () => server.heartbeats.length > before);
  };
  /** Lets `ms` go by while the steady clock stands still. */
  const suspend = (ms: number): void => {
    server.aheadMs += ms;
    asleepMs += ms;
  };
  /** Stops the agent and starts another one on its state. @param between called when none runs */
  const restart = async (between: () => void): Promise<void> => {
    await agent.stop();
    between();
    agent = newAgent();
    const before = server.heartbeats.length;
    await agent.start();
    await until('a heartbeat', () => server.heartbeats.length > before);
  };
  return {
    ...{ agent, append, appendTo, beat, configuration, folder, hashing, problems, restart, said, server },
    suspend,
  };
}

t.test(
  'a look that does not end has its reason in the heartbeat and the status, until it ends',
  async (t) => {
    const { agent, append, hashing, problems, server } = await agentIn(t);
    await until('both', () => server.reports.length === 2);
    hashing.isStuck = true;
    append();
    server.aheadMs = 3.5 * HEALTH_MS;
    agent.sendHeartbeatSoon();
    await until('told', () => problems()?.[0] === 'LOOK_LATE');
    t.match(faultsNow(agent.status()), /of 2 files are not checked/);
    hashing.free();
    await until('well again', () => problems()?.[0] === undefined);
    await until('the change', () => server.reports.at(-1)?.change === 'APPENDED');
  },
);

t.test('looks at large files that wait for their turn to be read hold up no other file', async (t) => {
  const hashing = new StuckPool();
  [hashing.isStuck, hashing.stuckAt] = [true, 'large'];
  const probe = { type: 'PROBE', interval: 1 } as const;
  const large = Array.from({ length: LOCAL_LOOKS }, (_, n) => ({ ...probe, path: `${n}.large` }));
  const { folder, server } = await agentIn(t, hashing, [...large, probe]);
  await until('the small one', () => server.reports.length === 1);
  t.equal(server.reports[0]?.fileId, fileId(LOCAL_LOOKS));
  for (const { path } of large) truncateSync(join(folder, path)); // so that their reading takes no time
});

t.test('after a suspend of the machine a file is in contact only when it was looked at again', async (t) => {
  const { agent, append, beat, hashing, problems, server, suspend } = await agentIn(t);
  const SUSPEND_MS = 1_800_000; // shorter than the hour after which each file is read again
  /** Returns how long ago the last look at each file was by the last heartbeat, in ms. */
  const ages = (): number[] => {
    const { timestamp, files } = server.heartbeats.at(-1)!;
    return files.map(({ checkedAt }) => Date.parse(timestamp) - Date.parse(String(checkedAt)));
  };
  await until('both', () => server.reports.length === 2);
  [hashing.isStuck, hashing.stuckAt] = [true, '0.log'];
  append();
  await until('a look that does not end', () => hashing.isWaiting);
  suspend(SUSPEND_MS);
  await beat(server.aheadMs);
  t.ok(ages()[0]! > SUSPEND_MS - 1_000, 'the time of the suspend counts');
  t.equal(problems()?.[0], 'LOOK_LATE');
  t.match(faultsNow(agent.status()), /files are not checked/);
  await until(
    'the other one was looked at',
    () => ages()[1]! < SUSPEND_MS - 1_000 && problems()?.[1] === undefined,
  );
  t.equal(problems()?.[0], 'LOOK_LATE');
  hashing.free();
  await until('looked at', () => ages()[0]! < SUSPEND_MS - 1_000 && problems()?.[0] === undefined);
});

t.test(
  'a configuration is used, and heartbeats go on, while a look at one of its files does not end',
  async (t) => {
    const { agent, append, configuration, hashing, problems, server } = await agentIn(t);
    await until('both', () => server.reports.length === 2);
    const configure = (files: typeof configuration.files): void => {
      server.configuration = { ...configuration, files };
      server.configVersion += 1;
      agent.sendHeartbeatSoon();
    };
    const [first, other] = configuration.files;
    hashing.isStuck = true;
    append();
    await until('a look that hangs', () => hashing.isWaiting);
    configure([other!]);
    await until('without the file', () => problems()?.length === 1);
    configure([{ ...first!, modifiable: false }, other!]);
    await until('with the file', () => problems()?.length === 2);
    await agent.reload();
    t.equal(server.reports.length, 2, 'the file is not looked at twice at a time');
    hashing.free();
    await until('the change', () => server.reports.length > 2);
    const beats = server.heartbeats.length;
    agent.sendHeartbeatSoon();
    await until('a heartbeat', () => server.heartbeats.length > beats);
    t.strictSame(
      server.reports.slice(2).map(({ change, configVersion }) => [change, configVersion]),
      [['FIRST', 3]],
      'what the look of before found is dropped',
    );
  },
);

t.test('an agent stops while a look does not end', async (t) => {
  const { agent, append, folder, hashing, server } = await agentIn(t);
  await until('both', () => server.reports.length === 2);
  hashing.isStuck = true;
  append();
  await until('a look that hangs', () => hashing.isWaiting);
  await agent.stop();
  t.equal(isStateInUse(join(folder, 'state')), false);
  hashing.free();
});

t.test('a server that was put back to an older state is told of each file again', async (t) => {
  const { agent, appendTo, server } = await agentIn(t);
  await until('both', () => server.reports.length === 2);
  const answer = async (n: number, lastSequence: number): Promise<void> => {
    server.onRecord.set(fileId(n), { lastSequence, length: null, hash: null });
    const beats = server.heartbeats.length;
    agent.sendHeartbeatSoon();
    await until('a heartbeat', () => server.heartbeats.length > beats);
    agent.sendHeartbeatSoon();
    await until('the next, after the answer was taken', () => server.heartbeats.length > beats + 1);
  };
  /** What would be reported because of an answer is there before a later change of the other file. */
  const changesWith = async (said: string): Promise<unknown[]> => {
    const before = server.reports.length;
    appendTo(1);
    const more = () => server.reports.slice(before);
    await until(said, () => more().some(({ fileId: id }) => id === fileId(1)));
    return more().map(({ fileId: id, change }) => [id, change]);
  };
  const { sequence } = server.reports.find((report) => report.fileId === fileId(0))!;
  for (const lastSequence of [sequence, sequence + 1]) await answer(0, lastSequence);
  t.strictSame(await changesWith('a change'), [[fileId(1), 'APPENDED']]);
  await answer(0, 1);
  await until('again', () => server.reports.length === 4);
  t.match(server.reports[3], { fileId: fileId(0), change: 'UNCHANGED' });
  await answer(0, 2);
  t.strictSame(await changesWith('another'), [[fileId(1), 'APPENDED']], 'once');
});

t.test('a file whose report is not taken is not well, and is again when it is', async (t) => {
  const { agent, append, beat, problems, server } = await agentIn(t);
  await until('both', () => server.reports.length === 2);
  server.judge = () => 'OVERLOADED';
  append();
  await until('it is refused', () => agent.status().problem !== null);
  await beat();
  t.strictSame(problems(), [undefined, undefined], 'at first a report may wait');
  await beat(1.5 * HEALTH_MS);
  await beat(2.5 * HEALTH_MS);
  // A look may be late, too, as the clock is put forward; the other file is well after its next look.
  await until('told', () => isDeepStrictEqual(problems(), ['REPORTS_WAIT', undefined]));
  t.match(
    server.events().find(({ code }) => code === 'REPORTS_WAIT'),
    { message: /OVERLOADED/, fileId: null },
  );
  t.equal(uncheckedFiles(agent.status()).length, 1);
  t.same(notLookedAt(agent.status()), [], '--once says that it is not sent');
  t.match(faultsNow(agent.status()), /reports are not taken \(OVERLOADED\)/);
  server.judge = () => undefined;
  await until('it arrives', () => server.reports.at(-1)?.change === 'APPENDED');
  await until('well again', () => problems()?.[0] === undefined);
  t.equal(server.events().filter(({ code }) => code === 'REPORTS_WAIT').length, 1, 'it is told once');
  t.equal(agent.status().problem, null);
});

t.test('reports of a file whose look does not end are not said to be held up by the server', async (t) => {
  const { agent, append, beat, hashing, problems, server } = await agentIn(t);
  await until('both', () => server.reports.length === 2);
  server.judge = () => 'OVERLOADED';
  append();
  await until('it is refused', () => agent.status().problem !== null);
  hashing.isStuck = true;
  append();
  await until('a look that hangs', () => hashing.isWaiting);
  for (const intervals of [1.5, 3, 4.5]) await beat(intervals * HEALTH_MS);
  await until('told', () => problems()?.[0] === 'LOOK_LATE');
  await beat(4.5 * HEALTH_MS);
  t.notOk(server.events().some(({ code }) => code === 'REPORTS_WAIT'));
});

t.test('reports that the agent holds back until its first look are not said to be held up', async (t) => {
  const { agent, append, beat, hashing, problems, restart, server } = await agentIn(t);
  await until('both', () => server.reports.length === 2);
  server.judge = () => 'OVERLOADED';
  append();
  await until('it is refused', () => agent.status().problem !== null);
  await restart(() => {
    hashing.isStuck = true;
    server.judge = () => undefined;
  });
  await until('a look that hangs', () => hashing.isWaiting);
  for (const intervals of [1.5, 2.2, 2.8]) await beat(intervals * HEALTH_MS);
  t.equal(problems()?.[0], 'LOOK_LATE', 'the server does not know of the change');
  hashing.free();
  await until('the change', () => server.reports.some(({ change }) => change === 'APPENDED'));
  await until('well again', () => problems()?.[0] === undefined);
  t.notOk(server.events().some(({ code }) => code === 'REPORTS_WAIT'));
});

t.test('a report that several short runs do not get to the server is told, once', async (t) => {
  const { agent, append, beat, problems, restart, server } = await agentIn(t);
  await until('both', () => server.reports.length === 2);
  const told = () => server.events().filter(({ code }) => code === 'REPORTS_WAIT').length;
  /** Starts another run at this time. @returns the problems in its first heartbeat */
  const runAt = async (intervals: number) => {
    const before = server.heartbeats.length;
    await restart(() => void (server.aheadMs = intervals * HEALTH_MS));
    await beat(server.aheadMs); // so the first one is answered
    return server.heartbeats[before]?.files.map(({ problem }) => problem);
  };
  server.judge = ({ fileId: id }) => (id === fileId(0) ? 'OVERLOADED' : undefined);
  append();
  await until('it is refused', () => agent.status().problem !== null);
  for (const _ of ['with the report', 'after its answer']) await beat();
  t.strictSame(await runAt(1.5), [undefined, undefined], 'at first a report may wait');
  t.strictSame(await runAt(2.5), ['LOOK_LATE', undefined], 'this run has not tried yet');
  await until('it has', async () => {
    await beat(2.5 * HEALTH_MS);
    return problems()?.[0] === 'REPORTS_WAIT';
  });
  t.equal(told(), 1);
  t.strictSame(await runAt(4), ['REPORTS_WAIT', undefined]);
  t.equal(told(), 1);
  t.strictSame(await runAt(7), [undefined, undefined], 'after an outage reports have time');
  server.judge = () => undefined;
  await until('it arrives', () => server.reports.some(({ change }) => change === 'APPENDED'));
});

t.test('a configuration that does not arrive is told, once, at the second time', async (t) => {
  const { agent, server } = await agentIn(t);
  await until('both', () => server.reports.length === 2);
  const told = () => server.events().filter(({ code }) => code === 'CONFIGURATION_OLD');
  const beat = async (): Promise<void> => {
    const calls = (): number => server.calls.filter(({ what }) => what === 'config').length;
    const before = calls();
    agent.sendHeartbeatSoon();
    await until('it asks', () => calls() > before);
  };
  server.cachedVersion = 1;
  server.configVersion = 2;
  await beat();
  await until('the status', () => agent.status().problem !== null);
  t.match(agent.status().problem, /version 1 came/);
  await beat();
  await until('told', () => told().length === 1);
  t.match(told()[0], { fileId: null, message: /configuration 2/ });
  await beat();
  server.cachedVersion = undefined;
  await beat();
  await until('well again', () => agent.status().problem === null);
  t.equal(told().length, 1);
});

t.test(
  'reports of a configuration whose version nobody knows do not pass for those of the current one',
  async (t) => {
    const { path, server, start, changes } = await stage(t, {});
    writeFileSync(path('0.log'), 'one\n');
    server.configurationAfter = '0';
    start();
    await until('FIRST', () => changes().length === 1);
    t.equal(server.reports[0]?.configVersion, 0, 'the file that was downloaded may be an old one');
    server.configurationAfter = undefined;
    await until('it is reported again', () => changes().length === 2);
    t.match(server.reports[1], { change: 'UNCHANGED', configVersion: 1 });
  },
);

t.test('calls for the configuration wait as long as the server says', async (t) => {
  const { agent, server } = await agentIn(t);
  await until('both', () => server.reports.length === 2);
  const asked = (): number[] => server.calls.filter(({ what }) => what === 'config').map(({ atMs }) => atMs);
  const before = asked().length;
  server.configurationAfter = '3';
  server.configVersion = 2;
  await until('asked again', () => {
    agent.sendHeartbeatSoon();
    return asked().length === before + 2;
  });
  const [first, second] = asked().slice(before);
  t.ok(second! - first! >= 3_000, `${second! - first!} ms`);
  const between = server.calls.filter(
    ({ what, atMs }) => what === 'health' && atMs > first! && atMs < second!,
  );
  t.ok(between.length > 1, 'heartbeats go on meanwhile');
  const beats = server.heartbeats.length;
  await until('the answer is taken', () => {
    agent.sendHeartbeatSoon();
    return server.heartbeats.length > beats;
  });
  server.configurationAfter = undefined;
  await agent.reload();
  t.equal(asked().length, before + 2, 'also when it is told to read the configuration again');
  await until('it came', () => {
    agent.sendHeartbeatSoon();
    return asked().length === before + 3;
  });
  await until('well', () => agent.status().problem === null);
});

t.test('an older configuration that comes from a cache ends no watching and removes no report', async (t) => {
  const { path, server, start, changes, configuration } = await stage(t, {}, {});
  for (const name of ['0.log', '1.log']) writeFileSync(path(name), 'one\n');
  server.configVersion = 8;
  const agent = start();
  await until('FIRST', () => changes().length === 2);
  server.configuration = { ...configuration, files: configuration.files.slice(0, 1) };
  server.cachedVersion = 7;
  const asked = () => server.calls.filter(({ what }) => what === 'config').length;
  const before = asked();
  process.kill(agent.pid, 'SIGHUP');
  await until('the old answer', () => asked() > before);
  const beats = server.heartbeats.length;
  await until('two heartbeats', () => server.heartbeats.length >= beats + 2);
  t.equal(server.heartbeats.at(-1)?.files.length, 2);
  writeFileSync(path('1.log'), 'two\n');
  await until('the change', () => changes(fileId(1)).length === 2);
  server.configVersion = 7;
  await until('a server that was put back', () => server.heartbeats.at(-1)?.files.length === 1);
});
