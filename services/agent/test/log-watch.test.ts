/** An agent holds the operator to the log that it saw: agents are the first witnesses. */
import { existsSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import t, { type Test } from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { parseCheckpoint, toHex, type ProofTrust } from '@sentinel-node/contracts';
import { LOG_LOOK_MS, LogWatch } from '../src/log-watch.ts';
import { headerLog, newKey, type HeaderLog, type LogOptions } from './note-logs.ts';

const ORIGIN = 'log.example/one';
const KEY = newKey();
const TRUST: ProofTrust = {
  origin: ORIGIN,
  publicKey: toHex(KEY.publicKey),
  network: 'dev',
  genesisTxid: '0'.repeat(64),
};
const logOf = (size: number, changed: Partial<LogOptions> = {}): HeaderLog =>
  headerLog(size, { key: KEY, origin: ORIGIN, ...changed });

function scene(t: Test, trust = TRUST) {
  const folder = join(t.testdir(), 'log');
  const asked: string[] = [];
  const told: string[] = [];
  const said: string[] = [];
  const world = { log: logOf(3) as HeaderLog | undefined, now: 0 };
  const fetchBy: typeof fetch = (input) => {
    const { origin, pathname } = new URL(String(input));
    asked.push(`${origin}${pathname}`);
    const bytes = pathname === '/checkpoint' ? world.log?.note : world.log?.tile(pathname);
    if (world.log === undefined) return Promise.reject(new TypeError('away'));
    return Promise.resolve(new Response(bytes ?? null, { status: bytes === undefined ? 404 : 200 }));
  };
  const open = () =>
    new LogWatch({
      ...{ folder, trust, fetch: fetchBy },
      address: () => 'http://sentinel.example/api/v1',
      steadyMs: () => world.now,
      wallMs: () => Date.UTC(2026, 10, 21),
      log: (level, message) => said.push(`${level} ${message}`),
      notice: (code, message) => told.push(`${code} ${message}`),
    });
  const look = async (watch: LogWatch, log: HeaderLog | undefined) => {
    world.log = log;
    world.now += LOG_LOOK_MS;
    await watch.look();
    return watch.status.problem;
  };
  const kept = () => parseCheckpoint(readFileSync(join(folder, 'checkpoint'), 'utf8'))?.size;
  return { asked, folder, kept, look, open, said, told, world };
}

t.test('a log that goes on is followed, at most so often', async (t) => {
  const { asked, kept, look, open, told, world } = scene(t);
  const watch = open();
  t.same(watch.status, { lookedAt: null, problem: null, unread: null });
  t.equal(await look(watch, logOf(3)), null);
  t.match(watch.status.lookedAt, '2026-11-21T00:00:00.000Z');
  t.equal(kept(), 3);
  t.equal(asked[0], 'http://sentinel.example/checkpoint', 'at the root of the public address');
  const calls = asked.length;
  world.now += LOG_LOOK_MS - 1;
  await watch.look();
  t.equal(asked.length, calls, 'not yet');
  t.equal(await look(watch, logOf(7)), null);
  t.equal(kept(), 7);
  t.same(told, []);
});

t.test('a log that was rewritten, cut or signed by another is told, also after a restart', async (t) => {
  const { folder, kept, look, open, said, told } = scene(t);
  t.equal(await look(open(), logOf(7)), null);
  const watch = open();
  const other = headerLog(9, { key: newKey(), origin: ORIGIN });
  const cases: [HeaderLog, RegExp][] = [
    [logOf(9, { forkAt: 3 }), /^CONTRADICTION: /],
    [logOf(7, { forkAt: 6 }), /^CONTRADICTION: /],
    [logOf(6), /^BEHIND: the log shows 6 batches, kept are 7/],
    [logOf(9, { change: (h) => (h.batch === 8 ? { ...h, totalLeaves: 1 } : h) }), /^BAD ENTRIES: /],
    [other, /^NOT SIGNED: /],
  ];
  for (const [log, problem] of cases) {
    t.match(await look(watch, log), problem);
    t.equal(kept(), 7, 'what was seen stays');
  }
  t.equal(told.length, 4, 'each kind once');
  t.match(told[0], /^LOG_NOT_CONTINUED CONTRADICTION: /);
  t.ok(readdirSync(folder).some((name) => name.startsWith('checkpoint.evidence-contradiction-')));
  t.equal(await look(watch, logOf(9)), null);
  t.match(said.at(-1), 'info the published log goes on again');
  t.equal(kept(), 9);
});

t.test('a kept checkpoint that is gone is told', async (t) => {
  const { folder, kept, look, open, told } = scene(t);
  t.equal(await look(open(), logOf(3)), null);
  rmSync(join(folder, 'checkpoint'));
  const watch = open();
  t.match(await look(watch, logOf(4, { forkAt: 1 })), /^NOTHING KEPT: /);
  matchList(t, told, [/^LOG_NOT_CONTINUED NOTHING KEPT: /]);
  t.equal(kept(), 4);
  t.equal(await look(watch, logOf(4, { forkAt: 1 })), null);
});

t.test('a new system whose log has no batch yet is no problem, and nothing is kept of it', async (t) => {
  const { folder, look, open, told } = scene(t);
  const watch = open();
  t.equal(await look(watch, logOf(0)), null);
  t.notOk(existsSync(join(folder, 'checkpoint')));
  t.equal(await look(watch, logOf(2)), null);
  t.match(await look(watch, logOf(0)), /^BEHIND: /);
  matchList(t, told, [/^LOG_NOT_CONTINUED BEHIND: /]);
});

t.test('a log that is hidden is told after some looks', async (t) => {
  const { look, open, said, told } = scene(t);
  const watch = open();
  t.equal(await look(watch, undefined), null);
  t.match(watch.status.unread, /cannot be looked at: .*away/, 'a run of --once has this look only');
  matchList(t, said, [/^warn the published log cannot be looked at: .*away/]);
  t.equal(await look(watch, undefined), null);
  t.match(await look(watch, undefined), /cannot be looked at/);
  t.match(await look(watch, undefined), /cannot be looked at/);
  matchList(t, told, [/^LOG_UNREADABLE /]);
  t.equal(await look(watch, logOf(1)), null);
  t.equal(watch.status.unread, null);
  t.equal(await look(watch, logOf(1, { forkAt: 0 })), watch.status.problem);
  for (let turn = 0; turn < 4; turn++)
    t.match(await look(watch, undefined), /^CONTRADICTION/, 'hiding it does not end what was found');
  t.equal(told.length, 2);
});

t.test('whether a batch that was shown is in the log that the agent keeps', async (t) => {
  const { folder, look, open, world } = scene(t);
  const watch = open();
  t.same(await watch.has(logOf(1).note), { state: 'unknown' }, 'nothing is kept');
  t.equal(await look(watch, logOf(300)), null);
  for (const size of [1, 2, 256, 299, 300]) {
    t.same(await watch.has(logOf(size).note), { state: 'there' }, String(size));
    t.same(
      await watch.has(logOf(size, { forkAt: size - 1 }).note),
      { state: 'not-there' },
      `${size}, forked`,
    );
  }
  t.same(await watch.has(logOf(301).note), { state: 'behind', looks: 1 }, 'not there yet');
  t.equal(await look(watch, logOf(300)), null);
  await look(watch, undefined);
  t.same(
    await watch.has(logOf(301).note),
    { state: 'behind', looks: 2 },
    'a look that failed does not count',
  );
  t.same(await watch.has('no note'), { state: 'unknown' });
  t.same(await watch.has(logOf(2).note), { state: 'unknown' }, 'tiles cannot be read');
  world.log = logOf(300);
  writeFileSync(join(folder, 'checkpoint'), logOf(1).note.slice(0, -9));
  t.same(await watch.has(logOf(1).note), { state: 'unknown' }, 'what was kept is cut short');
  t.equal(await look(watch, logOf(300)), null);
  t.equal(watch.status.problem, null);
  await look(watch, logOf(300));
  t.match(
    await look(watch, logOf(300)),
    /holds no checkpoint of this log/,
    'and no first look takes its place',
  );
});

t.test('witnesses are for monitors: an agent asks for no quorum', async (t) => {
  const { look, open } = scene(t, { ...TRUST, policy: 'quorum none\n' });
  t.equal(await look(open(), logOf(2)), null);
});

t.test('an agent that ends stops looking', async (t) => {
  const { asked, look, open } = scene(t);
  const watch = open();
  watch.stop();
  t.equal(await look(watch, logOf(2)), null);
  t.same([asked, watch.status.lookedAt], [[], null]);
});
