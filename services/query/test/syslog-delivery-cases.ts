/** From the topic of notices to a receiver over TLS, with faults at every step. The same over every store. */
import { mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';
import { EMBEDDED_TOPICS } from '@sentinel-node/platform';
import {
  createMetrics,
  openDataFolder,
  openEmbeddedEventLog,
  silentLog,
  systemRandom,
  systemTimers,
  type DocumentStore,
  type EventLog,
  type Log,
  type SyslogConfig,
} from '@sentinel-node/platform';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { SyslogReceiver, type SyslogBehaviour } from '@sentinel-node/test-kit/test-servers';
import { makeCertificate } from '@sentinel-node/test-kit/test-servers/certificate';
import { NON_VIEWS } from '../src/collections.ts';
import { causeId } from '../src/notifications/notice-id.ts';
import { noticeStream, type Notice } from '../src/notifications/index.ts';
import { syslogFollower, type SyslogFollower } from '../src/syslog/index.ts';
import { cloudEvent } from '../src/webhooks/index.ts';
import type { OpenStore } from './webhook-delivery-cases.ts';
import { eventually } from './world.ts';

const NOW = Date.UTC(2026, 10, 21, 10);
const PUBLIC_URL = 'https://sentinel.example.org';
const TIMES = {
  quietMs: 20,
  connectionMs: 1_000,
  retry: { firstMs: 5, longestMs: 20 },
  connectMs: 30_000,
  // A notice is sent again after these, so that no test that counts messages may come to them on a busy machine.
  writeMs: 30_000,
  endMs: 30_000,
} as const;
/** For receivers that never read, or never answer the end. */
const SHORT = { writeMs: 2_000, endMs: 2_000 } as const;

interface Bench {
  readonly store: DocumentStore;
  readonly eventLog: EventLog;
  readonly clock: ManualClock;
  readonly receiver: SyslogReceiver;
  readonly syslog: SyslogConfig;
  readonly alarms: string[];
  /** A process that sends; stopped with the test. @param store of this process */
  start(
    store?: DocumentStore,
    more?: Partial<SyslogConfig>,
    log?: EventLog,
  ): Promise<SyslogFollower & { metrics(): Promise<string> }>;
  publish(from: number, to: number): Promise<void>;
  /** Numbers of the notices that came, in order, each at its first time. */
  came(): number[];
  all(count: number): Promise<void>;
}

const noticeOf = (n: number): Notice => ({
  id: causeId(NOW, 'syslog', String(n)),
  type: 'alert.raised',
  orgId: '019aa5f0-7c00-7a10-8000-000000000001',
  at: new Date(NOW + n).toISOString(),
  severity: 'warning',
  orderKey: `alert-${n % 3}`,
  text: `Notice ${n} of the test.`,
});

interface BenchOptions {
  readonly clientAuthority?: string;
  readonly times?: Partial<Record<keyof typeof SHORT, number>>;
}

async function bench(t: Test, opened: OpenStore, options: BenchOptions = {}): Promise<Bench> {
  const { clientAuthority, times } = options;
  const { store, close } = await opened(t);
  await store.ensure(NON_VIEWS);
  // Not `t.testdir`, which empties the folder of the store.
  const path = mkdtempSync(join(tmpdir(), 'syslog-'));
  const folder = openDataFolder(path);
  const eventLog = await openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS });
  const clock = new ManualClock(NOW);
  const files = makeCertificate(t, { addresses: ['127.0.0.1'] });
  const receiver = await SyslogReceiver.start({
    cert: readFileSync(files.cert),
    key: readFileSync(files.key),
    ...(clientAuthority !== undefined && {
      ca: clientAuthority,
      requestCert: true,
      rejectUnauthorized: true,
    }),
  });
  const syslog: SyslogConfig = {
    ...{ host: '127.0.0.1', port: receiver.port, tls: { caFile: files.cert } },
    ...{ facility: 16, sdId: 'sentinel@32473', maxBytes: 8_192 },
  };
  const alarms: string[] = [];
  const log: Log = Object.assign(Object.create(silentLog()) as Log, {
    error: (_: object, message: string) => void alarms.push(message),
  });
  const running: SyslogFollower[] = [];
  t.teardown(async () => {
    await Promise.all(running.map((one) => one.stop()));
    await receiver.goOffline();
    await eventLog.close();
    await close();
    folder.release();
    rmSync(path, { recursive: true });
  });
  const stream = noticeStream(eventLog, (notice) => cloudEvent(notice, { publicUrl: PUBLIC_URL }));
  const came = (): number[] => [
    ...new Set(receiver.messages.map((message) => Number(/Notice (\d+) of/.exec(message)?.[1]))),
  ];
  return {
    ...{ store, eventLog, clock, receiver, syslog, alarms, came },
    start: async (over = store, more = {}, from = eventLog) => {
      const metrics = createMetrics('query', { processMetrics: false });
      const follower = syslogFollower({
        ...{ store: over, eventLog: from, clock, metrics, log, random: systemRandom, timers: systemTimers },
        ...{
          config: { publicUrl: PUBLIC_URL },
          syslog: { ...syslog, ...more },
          times: { ...TIMES, ...times },
        },
      });
      follower.failed.catch(() => undefined);
      await follower.start();
      running.push(follower);
      return { ...follower, metrics: () => metrics.text() };
    },
    publish: (from, to) =>
      stream.publish(Array.from({ length: to - from }, (_, index) => noticeOf(from + index))),
    all: async (count) => {
      await eventually(() => Promise.resolve(came().length >= count || undefined));
    },
  };
}

/** The log after it forgot the positions of all groups: a group begins with the first record again. */
const forgetful = (eventLog: EventLog): EventLog =>
  Object.assign(Object.create(eventLog) as EventLog, {
    consume: ((topics, group, handler, options) =>
      eventLog.consume(topics, `${group}-again`, handler, options)) satisfies EventLog['consume'],
  });

const range = (count: number): number[] => Array.from({ length: count }, (_, n) => n);

/** Resolves when the group has finished everything on the topic, and the store knows. */
async function finished({ eventLog, store }: Bench): Promise<void> {
  await eventually(async () => {
    const end = (await eventLog.bounds('sentinel.notices.v1'))[0]!.end;
    const done = await eventLog.committed('sentinel.notices.v1', 'query-syslog');
    const checkpoint = await store.get('checkpoints', 'query-syslog/sentinel.notices.v1/0');
    return (done.get(0) === end && checkpoint?.rev === end) || undefined;
  });
}

async function committed({ eventLog }: Bench): Promise<number> {
  return (await eventLog.committed('sentinel.notices.v1', 'query-syslog')).get(0) ?? 0;
}

type Case = (t: Test, opened: OpenStore) => Promise<void>;

export const syslogCases: Readonly<Record<string, Case>> = {
  'notices come in order, once, and the connection is ended by both sides': async (t, opened) => {
    const scene = await bench(t, opened);
    const sender = await scene.start();
    await scene.publish(0, 100);
    await finished(scene);
    t.same(scene.came(), range(100));
    t.equal(scene.receiver.messages.length, 100);
    t.same(scene.receiver.faults, []);
    t.match(
      scene.receiver.messages[0],
      /^<132>1 2026-11-21T10:00:00.000Z sentinel\.example\.org sentinel-node - alert\.raised \[sentinel@32473 id="/,
    );
    t.equal(scene.receiver.ends.at(-1), 100);
    t.match(await sender.metrics(), /query_syslog_notices_total\{[^}]*\} 100/);
  },

  'a record that cannot be read is told, left out, and not counted as sent': async (t, opened) => {
    const scene = await bench(t, opened);
    const sender = await scene.start();
    const body = Buffer.from('{');
    await scene.eventLog.append('sentinel.notices.v1', [{ key: 'k', id: 'unreadable', body }]);
    await scene.publish(0, 3);
    await finished(scene);
    t.same(scene.came(), range(3));
    t.equal(scene.alarms.length, 1);
    t.match(await sender.metrics(), /query_syslog_notices_total\{[^}]*\} 3/);
  },

  'what was on the topic before the first start is not sent; what came while it was stopped is': async (
    t,
    opened,
  ) => {
    const scene = await bench(t, opened);
    await scene.publish(0, 5);
    const first = await scene.start();
    await scene.publish(5, 7);
    await finished(scene);
    await first.stop();
    await scene.publish(7, 9);
    await scene.start();
    await finished(scene);
    t.same(scene.came(), [5, 6, 7, 8]);
  },

  'a log that forgot how far syslog was sends nothing again': async (t, opened) => {
    const scene = await bench(t, opened);
    const first = await scene.start();
    await scene.publish(0, 3);
    await finished(scene);
    await first.stop();
    await scene.publish(3, 5);
    const before = scene.receiver.messages.length;
    await scene.start(scene.store, {}, forgetful(scene.eventLog));
    await scene.all(5);
    t.equal(scene.receiver.messages.length, before + 2);
    t.same(scene.came(), range(5));
  },

  'a receiver that is away delays notices, and nothing passes the log by': async (t, opened) => {
    const scene = await bench(t, opened);
    await scene.receiver.goOffline();
    const sender = await scene.start();
    await scene.publish(0, 3);
    await eventually(
      async () => /connections_total\{[^}]*"failed"[^}]*\} [3-9]/.test(await sender.metrics()) || undefined,
    );
    t.same(scene.alarms, []);
    scene.clock.advance(901_000);
    await eventually(() => Promise.resolve(scene.alarms.length > 0 || undefined));
    t.match(await sender.metrics(), /query_syslog_waiting_seconds\{[^}]*\} 901/);
    t.equal(await committed(scene), 0);
    await scene.publish(3, 6);
    await scene.receiver.goOnline();
    await finished(scene);
    t.same(scene.came(), range(6));
    t.same(scene.alarms, ['notices wait for the syslog receiver'], 'one alarm');
    t.match(await sender.metrics(), /query_syslog_waiting_seconds\{[^}]*\} 0/);
  },

  'what waited before a process began counts as waiting': async (t, opened) => {
    const scene = await bench(t, opened);
    const first = await scene.start();
    await first.stop();
    await scene.receiver.goOffline();
    await scene.publish(0, 3);
    scene.clock.advance(901_000);
    const sender = await scene.start();
    await eventually(() => Promise.resolve(scene.alarms.length > 0 || undefined));
    t.match(await sender.metrics(), /query_syslog_waiting_seconds\{[^}]*\} 901/);
    await scene.receiver.goOnline();
    await finished(scene);
    t.same(scene.came(), range(3));
  },

  'a receiver that resets, leaves, hangs, or never answers the end, gets everything again': async (
    t,
    opened,
  ) => {
    const behaviours: SyslogBehaviour[] = [
      { kind: 'cut', afterBytes: 700 },
      { kind: 'leave', afterBytes: 700 },
      { kind: 'leave', afterBytes: 1 },
      { kind: 'endless' },
      { kind: 'hang' },
    ];
    for (const behaviour of behaviours)
      await t.test(JSON.stringify(behaviour), async (t) => {
        const isSilent = behaviour.kind === 'endless' || behaviour.kind === 'hang';
        const scene = await bench(t, opened, isSilent ? { times: SHORT } : {});
        scene.receiver.behaviour = behaviour;
        const sender = await scene.start();
        await scene.publish(0, 20);
        await eventually(
          async () =>
            /connections_total\{[^}]*"failed"[^}]*\} [2-9]/.test(await sender.metrics()) || undefined,
        );
        t.equal(await committed(scene), 0, 'nothing counts as delivered');
        scene.receiver.behaviour = { kind: 'take' };
        await finished(scene);
        // What came of a connection is a beginning, so that the first times are in order too.
        t.same(scene.came(), range(20));
        const bytes = new Map<string, Set<string>>();
        for (const message of scene.receiver.messages) {
          const id = / id="([^"]+)"/.exec(message)![1]!;
          bytes.set(id, (bytes.get(id) ?? new Set()).add(message));
        }
        t.ok(
          [...bytes.values()].every(({ size }) => size === 1),
          'one id, the same bytes',
        );
      });
  },

  'a receiver that leaves just as something is sent has not taken it': async (t, opened) => {
    const scene = await bench(t, opened);
    scene.receiver.behaviour = { kind: 'leave', afterBytes: 10 };
    const sender = await scene.start();
    for (let n = 0; n < 5; n++) await scene.publish(n, n + 1);
    await eventually(
      async () => /connections_total\{[^}]*"failed"[^}]*\} [3-9]/.test(await sender.metrics()) || undefined,
    );
    t.match(await sender.metrics(), /connections_total\{[^}]*"delivered"[^}]*\} 0/);
    scene.receiver.behaviour = { kind: 'take' };
    await finished(scene);
    t.same(scene.came(), range(5));
  },

  'a slow receiver gets everything': async (t, opened) => {
    const scene = await bench(t, opened);
    scene.receiver.behaviour = { kind: 'slow', bytes: 4_096 };
    await scene.start();
    await scene.publish(0, 50);
    await finished(scene);
    t.same(scene.came(), range(50));
    t.equal(scene.receiver.messages.length, 50);
  },

  'a process that dies before its checkpoint repeats, one that dies after it does not': async (t, opened) => {
    for (const isDone of [false, true])
      await t.test(isDone ? 'after' : 'before', async (t) => {
        const scene = await bench(t, opened);
        let isDead = false;
        const dying = new Proxy(scene.store, {
          get: (target, name: keyof DocumentStore) => {
            const call = target[name] as (...given: unknown[]) => unknown;
            if (name !== 'writeBatches') return call.bind(target);
            return async (...given: unknown[]) => {
              if (isDone) await call.apply(target, given);
              isDead = true;
              throw new Error('killed');
            };
          },
        });
        const first = await scene.start(dying);
        await scene.publish(0, 4);
        await first.failed.catch(() => undefined);
        t.ok(isDead);
        t.equal(await committed(scene), 0);
        await first.stop();
        await scene.start();
        await scene.publish(4, 6);
        await finished(scene);
        t.same(scene.came(), range(6));
        t.equal(scene.receiver.messages.length, isDone ? 6 : 10, 'the first four came twice, or once');
      });
  },

  'a stop in the middle of a hanging delivery is short, and the next start sends it': async (t, opened) => {
    const scene = await bench(t, opened);
    scene.receiver.behaviour = { kind: 'endless' };
    const first = await scene.start();
    await scene.publish(0, 2);
    await scene.all(2);
    await first.stop();
    t.equal(await committed(scene), 0);
    scene.receiver.behaviour = { kind: 'take' };
    await scene.start();
    await finished(scene);
    t.same(scene.came(), range(2));
  },

  'only the named authority is believed, and a client certificate is shown': async (t, opened) => {
    const client = makeCertificate(t, { addresses: [] });
    const scene = await bench(t, opened, { clientAuthority: readFileSync(client.cert, 'utf8') });
    const other = makeCertificate(t, { addresses: ['127.0.0.1'] });
    const { caFile } = scene.syslog.tls;
    const stranger = await scene.start(scene.store, { tls: { caFile: other.cert } });
    await scene.publish(0, 2);
    const fails = async (sender: typeof stranger): Promise<void> => {
      await eventually(
        async () => /connections_total\{[^}]*"failed"[^}]*\} [2-9]/.test(await sender.metrics()) || undefined,
      );
      await sender.stop();
    };
    await fails(stranger);
    await fails(await scene.start(scene.store, { tls: { ...(caFile !== undefined && { caFile }) } }));
    t.same(scene.receiver.messages, []);
    const pair = { certFile: client.cert, keyFile: client.key };
    await scene.start(scene.store, { tls: { ...(caFile !== undefined && { caFile }), ...pair } });
    await finished(scene);
    t.same(scene.came(), range(2));
    t.ok(scene.receiver.clients.length > 0);
    t.ok(scene.receiver.clients.every((name) => name === 'localhost'));
    await t.rejects(scene.start(scene.store, { tls: { caFile: client.key } }), {
      message: /SENTINEL_SYSLOG_TLS_CA/,
    });
  },

  'a record that somebody else wrote on the topic is told and passed over': async (t, opened) => {
    const scene = await bench(t, opened);
    await scene.start();
    await scene.publish(0, 1);
    await scene.eventLog.append('sentinel.notices.v1', [
      { key: 'x', id: 'x', body: Buffer.from('{"id":1}') },
    ]);
    await scene.publish(1, 2);
    await finished(scene);
    t.same(scene.came(), range(2));
    t.same(scene.alarms, ['a record of the topic of notices is none; it is not sent by syslog']);
  },
};
