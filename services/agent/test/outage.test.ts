import { appendFileSync, writeFileSync } from 'node:fs';
import t from 'tap';
import { Heart } from '../src/heart.ts';
import { FILE_MS, fileId, stage, until } from './agent-process.ts';
import { rowsIn } from './state-files.ts';

/** Least wait after the first failure of reports, in ms: `RETRY_MS` of the sender without a quarter of it, and a timer's slack. */
const LEAST_WAIT_MS = 370;

t.setTimeout(FILE_MS);

t.test('Retry-After holds for heartbeats as for reports', async (t) => {
  const { server, path, start } = await stage(t, {});
  writeFileSync(path('0.log'), 'one\n');
  server.down = true;
  server.retryAfter = '4';
  start();
  const beats = () => server.calls.filter(({ what }) => what === 'health').map(({ atMs }) => atMs);
  await until('three heartbeats', () => beats().length === 3);
  const [first = 0, second = 0, third = 0] = beats();
  t.ok(second - first >= 3_900 && third - second >= 3_900, `${second - first}, ${third - second} ms`);
});

t.test(
  'an early heartbeat that was asked for during another one keeps to the Retry-After of its answer',
  async (t) => {
    const RETRY_MS = 500;
    /** Longer than the wait of an early heartbeat. */
    const ANSWER_MS = 300;
    const sentAt: number[] = [];
    let answeredAt = Infinity;
    await new Promise<void>((resolve) => {
      const heart = new Heart({
        intervalMs: () => 60_000,
        sendHeartbeat: async () => {
          sentAt.push(performance.now());
          if (sentAt.length === 2) {
            resolve();
            return { kind: 'ok', value: undefined };
          }
          heart.soon();
          await new Promise((answered) => setTimeout(answered, ANSWER_MS));
          answeredAt = performance.now();
          return { kind: 'unreachable', detail: 'HTTP 503', retryAfterMs: RETRY_MS };
        },
      });
      t.teardown(() => heart.stop());
      heart.start();
    });
    const waitedMs = (sentAt[1] ?? 0) - answeredAt;
    t.ok(waitedMs >= RETRY_MS - 10, `${waitedMs} ms`);
  },
);

t.test('a key that was ended at once: one line says what to do, and the new file is taken', async (t) => {
  const { server, path, start, changes, configuration, config } = await stage(t, {});
  writeFileSync(path('0.log'), 'one\n');
  const agent = start();
  await until('FIRST', () => changes().includes('FIRST'));
  server.keys = ['sk1.new'];
  appendFileSync(path('0.log'), 'two\n');
  await until('it is said', () => agent.said().includes('put it in the place of the file of --config'));
  const beats = (): number => server.calls.filter(({ what }) => what === 'health').length;
  const before = beats();
  await until('it tries again', () => beats() >= before + 2);
  t.equal(agent.said().match(/refuses the API key/g)?.length, 1, 'once, not at every try');
  server.configuration = { ...configuration, apiKey: 'sk1.new' };
  writeFileSync(config, JSON.stringify(server.configuration));
  await until('APPENDED', () => changes().includes('APPENDED'));
  await agent.kill();
  start();
  await until('after a restart too', () => changes().includes('UNCHANGED'));
});

t.test('an outage with busy logs: one probe at a time, every version in order', async (t) => {
  const files = [0, 1, 2];
  const { server, path, start, changes, state } = await stage(t, {}, {}, {});
  for (const n of files) writeFileSync(path(`${n}.log`), '0\n');
  start();
  await until('FIRST', () => changes().length === 3);
  const waiting = (n: number) => rowsIn(state, 'report', fileId(n));
  await until('answered', () => files.every((n) => waiting(n) === 0));
  const [callsBefore, bulksBefore] = [server.calls.length, server.bulks];
  server.down = true;
  for (let line = 1; line <= 8; line += 1) {
    for (const n of files) appendFileSync(path(`${n}.log`), `${line}\n`);
    await until(`line ${line} waits`, () => files.every((n) => waiting(n) === line));
  }
  const probes = () => server.calls.slice(callsBefore).filter(({ what }) => what === 'bulk');
  await until('three probes', () => probes().length >= 3);
  const times = probes().map(({ atMs }) => atMs);
  server.down = false;
  await until('all arrived', () => changes().filter((one) => one === 'APPENDED').length === 24);
  t.ok(server.bulks - bulksBefore <= 3, 'in bulk');
  // Each wait is double the one before it, give or take a quarter of either.
  const gaps = times.slice(1).map((atMs, index) => atMs - times[index]!);
  t.ok(
    gaps.every((gap, index) => gap >= LEAST_WAIT_MS * 2 ** index),
    `${gaps.map(Math.round).join(', ')} ms between two tries, whatever the logs do meanwhile`,
  );
  for (const n of files) {
    const lengths = server.reports
      .filter((r) => r.fileId === fileId(n))
      .map((r) => r.versions.at(-1)?.length);
    t.same(lengths, [2, 4, 6, 8, 10, 12, 14, 16, 18]);
  }
});
