/** From a notice to its receiver through the store: order, retries, faults at every step. The same over every back end. */
import type { Test } from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { LIMITS, type WebhookEntity } from '@sentinel-node/contracts';
import {
  AddressRules,
  HttpSender,
  NotDurableError,
  OverloadedError,
  commit,
  createMetrics,
  loadStream,
  registryRecordOf,
  silentLog,
  systemRandom,
  systemTimers,
  type DocumentStore,
  type Metrics,
} from '@sentinel-node/platform';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { WebhookReceiver } from '@sentinel-node/test-kit/test-servers';
import { NON_VIEWS } from '../src/collections.ts';
import type { Notice } from '../src/notifications/notice.ts';
import { decideWebhook } from '../src/registry/webhook.ts';
import { registryOps, VIEW_COLLECTIONS, applyOps } from '../src/views/index.ts';
import { WEBHOOK_LIMITS } from '../src/webhooks/limits.ts';
import { WEBHOOK_NOTICES_COLLECTION } from '../src/webhooks/queue.ts';
import { WEBHOOK_SCHEDULES_COLLECTION } from '../src/webhooks/schedules.ts';
import { WebhookSecrets } from '../src/webhooks/secrets.ts';
import { WebhookTarget } from '../src/webhooks/target.ts';
import { eventually, MASTER_SECRET } from './world.ts';

const NOW = Date.UTC(2026, 10, 21, 10);
const uuid = (n: number): string => `019aa5f0-7c00-7a10-8000-${String(n).padStart(12, '0')}`;
const ORG = uuid(1);

/** An empty store, over one of the back ends. */
export type OpenStore = (t: Test) => Promise<{ readonly store: DocumentStore; close(): Promise<void> }>;

interface Bench {
  readonly store: DocumentStore;
  readonly clock: ManualClock;
  readonly receiver: WebhookReceiver;
  readonly disabled: string[];
  /** Disables a webhook as a person does. */
  disable(id: string): Promise<void>;
  /** A process that sends, over the same store or what a test makes of it. */
  target(store?: DocumentStore, metrics?: Metrics): WebhookTarget;
  webhook(n: number, url?: string, orgId?: string): Promise<string>;
}

/**
 * Limits that only a receiver that hangs comes to: a notice is sent again after them, and many tests count what came.
 */
const TIMES = { connectMs: 30_000, headersMs: 30_000, wholeMs: 60_000 } as const;

async function bench(
  t: Test,
  opened: OpenStore,
  times: { readonly headersMs: number } = TIMES,
): Promise<Bench> {
  const { store, close } = await opened(t);
  await store.ensure([...NON_VIEWS, ...VIEW_COLLECTIONS]);
  const clock = new ManualClock(NOW);
  const receiver = await WebhookReceiver.start();
  const disabled: string[] = [];
  const targets: WebhookTarget[] = [];
  const secrets = new WebhookSecrets(MASTER_SECRET, systemRandom);
  t.teardown(async () => {
    await receiver.goOffline();
    await Promise.all(targets.map((target) => target.stop()));
    await close();
  });
  const change = async (
    id: string,
    orgId: string,
    command: Parameters<typeof decideWebhook>[0],
    version = 0,
  ) => {
    const decision = decideWebhook(command, undefined, { at: NOW, version: version + 1, by: null });
    if (decision.kind !== 'changed') throw new Error(decision.kind);
    const made = { orgId, entity: decision.entity, events: [], policies: [], at: NOW, by: null };
    const done = await commit<WebhookEntity>(store, `webhook:${id}`, version, made);
    await applyOps(store, registryOps(registryRecordOf(done)));
  };
  return {
    ...{ store, clock, receiver, disabled },
    disable: async (id) => {
      const held = (await loadStream<WebhookEntity>(store, `webhook:${id}`))!;
      const off = { type: 'CHANGE', fields: { enabled: false } } as const;
      const decision = decideWebhook(off, held.entity, { at: NOW, version: held.version + 1, by: null });
      if (decision.kind !== 'changed') throw new Error(decision.kind);
      const made = { orgId: ORG, entity: decision.entity, events: [], policies: [], at: NOW, by: null };
      await commit<WebhookEntity>(store, `webhook:${id}`, held.version, made);
    },
    target: (over = store, metrics = createMetrics('query', { processMetrics: false })) => {
      const target = new WebhookTarget({
        ...{
          store: over,
          storeOf: () => over,
          clock,
          random: systemRandom,
          timers: systemTimers,
          log: silentLog(),
          metrics,
        },
        config: { publicUrl: 'https://sentinel.example.org', webhookPrivateTargets: ['127.0.0.0/8'] },
        secrets: { masterSecret: MASTER_SECRET },
        http: new HttpSender({ rules: new AddressRules(['127.0.0.0/8']), times }),
        disable: async ({ id }) => disabled.push(id) > 0,
      });
      targets.push(target);
      return target;
    },
    webhook: async (n, url = receiver.url, orgId = ORG) => {
      const id = uuid(100 + n);
      const sealed = { sealedTarget: secrets.seal({ orgId, id }, { url }), shownUrl: url };
      const fields = { name: `W${n}`, shape: 'cloudevents' } as const;
      await change(id, orgId, { type: 'MAKE', id, orgId, fields, target: sealed });
      return id;
    },
  };
}

const notice = (n: number, orderKey = 'key', orgId = ORG): Notice => ({
  ...{ id: uuid(1_000 + n), type: 'alert.raised', orgId, severity: 'warning', orderKey, text: `Notice ${n}` },
  at: new Date(NOW).toISOString(),
});

/** Everything that is due, to its end. */
async function deliver(target: WebhookTarget): Promise<void> {
  await target.look();
  await target.idle();
}

const WRITES = new Set<PropertyKey>(['insertUnique', 'update', 'insertMissing', 'remove', 'bulkUpsert']);

const texts = ({ messages }: Pick<WebhookReceiver, 'messages'>): string[] =>
  messages.map(({ body }) => (JSON.parse(body) as { data: { text: string } }).data.text);

/** Every call that changes something fails from number `step` on, as if the process were gone. */
function failingAfter(
  store: DocumentStore,
  step: number,
): { readonly failing: DocumentStore; readonly wasKilled: () => boolean } {
  let done = 0;
  const failing = new Proxy(store, {
    get(of, name) {
      const value = of[name as keyof DocumentStore] as (...given: unknown[]) => unknown;
      if (!WRITES.has(name)) return value.bind(of);
      return (...given: unknown[]) => {
        done += 1;
        if (done < step) return value.apply(of, given);
        return Promise.reject(new NotDurableError('killed by the test'));
      };
    },
  });
  return { failing, wasKilled: () => done >= step };
}

export const deliveryCases: Readonly<Record<string, (t: Test, opened: OpenStore) => Promise<void>>> = {
  ['notices of one key go in their order, each once, with their own id']: async (t, opened) => {
    const { target: open, webhook, receiver, store } = await bench(t, opened);
    const target = open();
    const id = await webhook(1);
    for (let n = 0; n < 30; n++) await target.enqueue(id, notice(n, `key ${n % 3}`));
    await target.enqueue(id, notice(7, 'key 1'));
    await deliver(target);
    await target.enqueue(id, notice(7, 'key 1'));
    await deliver(target);
    const sent = texts(receiver).map((text) => Number(text.split(' ')[1]));
    t.same(
      [...sent].sort((a, b) => a - b),
      Array.from({ length: 30 }, (_, n) => n),
      'the same notice, given again, is sent once',
    );
    for (const rest of [0, 1, 2]) {
      const ofKey = sent.filter((n) => n % 3 === rest);
      t.same(
        ofKey,
        [...ofKey].sort((a, b) => a - b),
      );
    }
    t.match(receiver.messages[0]!.headers, {
      'content-type': 'application/cloudevents+json',
      'webhook-id': /^019aa5f0/,
      'webhook-timestamp': String(NOW / 1_000),
      'webhook-signature': /^v1,[\w+/=]{44}$/,
    });
    t.equal(await store.count(WEBHOOK_NOTICES_COLLECTION.name, { waiting: 1 }), 0);
  },

  ['a notice that is refused holds up its key, and no other']: async (t, opened) => {
    const { target: open, webhook, receiver, clock } = await bench(t, opened);
    const target = open();
    const id = await webhook(1);
    let works = false;
    receiver.behaviour = ({ body }) => ({
      kind: 'answer',
      status: !works && body.includes('Notice 1"') ? 400 : 200,
    });
    for (const [n, key] of [
      [0, 'a'],
      [1, 'a'],
      [2, 'a'],
      [3, 'b'],
    ] as const)
      await target.enqueue(id, notice(n, key));
    await deliver(target);
    t.same(texts(receiver).sort(), ['Notice 0', 'Notice 1', 'Notice 3']);
    await deliver(target);
    t.equal(receiver.messages.length, 3, 'not before its time');
    works = true;
    clock.advance(WEBHOOK_LIMITS.retry.firstMs);
    await deliver(target);
    t.same(texts(receiver).slice(3), ['Notice 1', 'Notice 2']);
    matchList(t, await target.attempts.newest(id), [
      { noticeId: uuid(1_002), attempt: 1, delivered: true, status: 200 },
      { noticeId: uuid(1_001), attempt: 2, delivered: true },
      {},
      {},
      {},
    ]);
  },

  ['a receiver that is away for a day gets everything, in order']: async (t, opened) => {
    const { target: open, webhook, receiver, clock } = await bench(t, opened);
    const target = open();
    const id = await webhook(1);
    await receiver.goOffline();
    const hours = 26;
    for (let hour = 0; hour < hours; hour++) {
      await target.enqueue(id, notice(hour));
      await deliver(target);
      clock.advance(3_600_000);
    }
    const tries = (await target.attempts.newest(id)).length;
    t.ok(tries > 5 && tries <= hours, `${tries} tries while it was away, and no storm`);
    await receiver.goOnline();
    for (let waited = 0; receiver.messages.length < hours && waited < 12; waited++) {
      await deliver(target);
      clock.advance(3_600_000);
    }
    t.same(
      texts(receiver),
      Array.from({ length: hours }, (_, n) => `Notice ${n}`),
    );
  },

  ['after three days a notice is a dead letter, which can be sent again under its id']: async (t, opened) => {
    const { target: open, webhook, receiver, clock } = await bench(t, opened);
    const target = open();
    const id = await webhook(1);
    receiver.behaviour = { kind: 'answer', status: 500, body: 'no' };
    await target.enqueue(id, notice(1));
    for (let hour = 0; hour < 24 * 3 + 7; hour++) {
      await deliver(target);
      clock.advance(3_600_000);
    }
    const [letter, ...rest] = await target.queue.deadLetters(id, 10);
    t.match(letter, { notice: { id: uuid(1_001) }, problem: 'the receiver answered 500' });
    t.same(rest, []);
    t.equal(letter!.attempts, receiver.messages.length);
    await deliver(target);
    t.equal(letter!.attempts, receiver.messages.length, 'nothing is sent any more');

    receiver.behaviour = { kind: 'answer', status: 204 };
    t.equal(await target.queue.sendAgain(id, [uuid(1_001), uuid(1_001), uuid(9)]), 1);
    await target.schedules.wake(ORG, [id]);
    clock.advance(WEBHOOK_LIMITS.pause.longestMs);
    await deliver(target);
    t.same(await target.queue.deadLetters(id, 10), []);
    const ids = new Set(receiver.messages.map(({ headers }) => headers['webhook-id']));
    t.same([...ids], [uuid(1_001)]);
    t.equal(await target.queue.sendAgain(id, [uuid(1_001)]), 0, 'what was delivered is not sent again');
  },

  ['what failed while the clock was ahead is sent when it was set back, and what comes then']: async (
    t,
    opened,
  ) => {
    const { target: open, webhook, receiver, clock } = await bench(t, opened);
    const target = open();
    const id = await webhook(1);
    const hours = 3 * 3_600_000;
    clock.advance(hours);
    receiver.behaviour = { kind: 'answer', status: 500 };
    await target.enqueue(id, notice(1, 'a'));
    await deliver(target);
    clock.advance(WEBHOOK_LIMITS.pause.longestMs);
    await target.enqueue(id, notice(2, 'b'));
    await deliver(target);
    const failed = receiver.messages.length;
    t.ok(failed > 0);
    receiver.behaviour = { kind: 'answer', status: 200 };
    clock.advance(-hours);
    await deliver(target);
    t.same(texts(receiver).slice(failed).sort(), ['Notice 1', 'Notice 2']);
    await target.enqueue(id, notice(3, 'a'));
    await deliver(target);
    t.equal(receiver.messages.length, failed + 3);
    await deliver(target);
    t.equal(receiver.messages.length, failed + 3, 'each once');
  },

  ['429 with Retry-After is followed, for the whole webhook']: async (t, opened) => {
    const { target: open, webhook, receiver, clock } = await bench(t, opened);
    const target = open();
    const id = await webhook(1);
    receiver.behaviour = { kind: 'answer', status: 429, headers: { 'retry-after': '600' } };
    await target.enqueue(id, notice(1, 'a'));
    await deliver(target);
    receiver.behaviour = { kind: 'answer', status: 200 };
    await target.enqueue(id, notice(2, 'b'));
    clock.advance(599_000);
    await deliver(target);
    t.equal(receiver.messages.length, 1);
    clock.advance(1_000);
    await deliver(target);
    t.equal(receiver.messages.length, 3);
  },

  ['410 disables the webhook; what waited becomes dead letters']: async (t, opened) => {
    const { target: open, webhook, receiver, disabled } = await bench(t, opened);
    const target = open();
    const id = await webhook(1);
    receiver.behaviour = { kind: 'answer', status: 410 };
    // All are there before the first is sent: a disabled webhook keeps no new ones.
    await target.queue.add(ORG, new Map([[id, [0, 1, 2].map((n) => notice(n))]]));
    await target.schedules.wake(ORG, [id]);
    await deliver(target);
    t.same(disabled, [id]);
    t.equal(receiver.messages.length, 1);
    const dead = await target.queue.deadLetters(id, 10);
    t.same(dead.map(({ problem }) => problem).sort(), [
      'the receiver answered 410 Gone',
      'the webhook was disabled',
      'the webhook was disabled',
    ]);
  },

  ['given a webhook that is disabled while notices wait, then nothing more is sent']: async (t, opened) => {
    const { target: open, webhook, receiver, disable } = await bench(t, opened);
    const id = await webhook(1);
    const target = open();
    await target.queue.add(ORG, new Map([[id, [0, 1, 2].map((n) => notice(n))]]));
    await target.schedules.wake(ORG, [id]);
    receiver.behaviour = () => ({ kind: 'slow', until: disable(id) });
    await deliver(target);
    await deliver(target);
    t.equal(receiver.messages.length, 1);
    const dead = await target.queue.deadLetters(id, 10);
    t.strictSame(
      dead.map(({ problem }) => problem),
      ['the webhook was disabled', 'the webhook was disabled'],
    );
  },

  ['receivers that hang delay nobody else']: async (t, opened) => {
    const { target: open, webhook, receiver } = await bench(t, opened, { headersMs: 3_000 });
    const target = open();
    const hanging = await WebhookReceiver.start();
    t.teardown(() => hanging.goOffline());
    hanging.behaviour = { kind: 'hang' };
    const other = uuid(2);
    const stuck: string[] = [];
    for (let n = 0; n < 20; n++) stuck.push(await webhook(n, hanging.url));
    const own = await webhook(50);
    const others = await webhook(51, receiver.url, other);
    for (const id of stuck) for (let n = 0; n < 10; n++) await target.enqueue(id, notice(n, `key ${n}`));
    await eventually(async () => (hanging.messages.length >= WEBHOOK_LIMITS.atOnce / 2 ? true : undefined));
    await target.enqueue(others, notice(1, 'a', other));
    await eventually(async () => (receiver.messages.length === 1 ? true : undefined));
    t.ok(target.used <= WEBHOOK_LIMITS.atOnce / 2 + 1, 'the rest of the turns stays for other organisations');
    await target.enqueue(own, notice(1));
    await eventually(async () => (receiver.messages.length === 2 ? true : undefined));
    await hanging.goOffline();
    await target.idle();
  },

  ['a storm of one organisation takes few calls to the store']: async (t, opened) => {
    const { target: open, webhook, store } = await bench(t, opened);
    let calls = 0;
    const counting = new Proxy(store, {
      get: (of, name) => {
        const value = of[name as keyof DocumentStore] as (...given: unknown[]) => unknown;
        return (...given: unknown[]) => {
          calls += 1;
          return value.apply(of, given);
        };
      },
    });
    const ids: string[] = [];
    for (let n = 0; n < LIMITS.webhooksPerOrganization; n++) ids.push(await webhook(n));
    const storm = Array.from({ length: 50 }, (_, n) => notice(n));
    const target = open(counting);
    // A search would send, and call the store, meanwhile.
    target.wake = () => undefined;
    const leftOut = await target.enqueueAll(ORG, new Map(ids.map((id) => [id, storm])));
    t.strictSame([...leftOut], []);
    const pages = Math.ceil((ids.length * storm.length) / WEBHOOK_LIMITS.addedAtOnce);
    // The webhooks, two counts, the schedules, and their first writes; a page reads a position and is written.
    t.ok(calls <= 4 + ids.length + 2 * pages, `${calls} calls`);
    calls = 0;
    await target.enqueueAll(ORG, new Map(ids.map((id) => [id, [notice(50)]])));
    t.ok(calls <= 6, `${calls} calls when the webhooks are due already`);
  },

  ['a receiver without incidents hears of no end of what is no longer monitored']: async (t, opened) => {
    const { target: open, webhook, receiver } = await bench(t, opened);
    const id = await webhook(0, `${receiver.url}/0`);
    const target = open();
    await target.enqueueAll(ORG, new Map([[id, [{ ...notice(0), ends: true }]]]));
    await target.enqueueAll(ORG, new Map([[id, [notice(1)]]]));
    await eventually(async () => {
      await deliver(target);
      return receiver.messages.length > 0 || undefined;
    });
    t.strictSame(
      receiver.messages.map(({ headers }) => headers['webhook-id']),
      [notice(1).id],
    );
  },

  ['a storm of one organisation keeps its order']: async (t, opened) => {
    const { target: open, webhook, receiver } = await bench(t, opened);
    const ids: string[] = [];
    for (let n = 0; n < 3; n++) ids.push(await webhook(n, `${receiver.url}/${n}`));
    const storm = Array.from({ length: 50 }, (_, n) => notice(n, `key ${n % 5}`));
    const target = open();
    await target.enqueueAll(ORG, new Map(ids.map((id) => [id, storm])));
    await target.enqueueAll(ORG, new Map(ids.map((id) => [id, [notice(50)]])));
    await eventually(async () => {
      await deliver(target);
      return receiver.messages.length >= ids.length * 51 || undefined;
    });
    for (let n = 0; n < ids.length; n++) {
      const messages = receiver.messages.filter(({ path }) => path === `/hook/${n}`);
      const sent = texts({ messages }).map((text) => Number(text.split(' ')[1]));
      t.equal(sent.length, 51, 'each once');
      for (const rest of [0, 1, 2, 3, 4]) {
        const ofKey = sent.filter((one) => one < 50 && one % 5 === rest);
        t.same(
          ofKey,
          [...ofKey].sort((one, other) => one - other),
        );
      }
    }
  },

  ['webhooks share the room that is left']: async (t, opened) => {
    const { target: open, webhook, store } = await bench(t, opened);
    const ids = [await webhook(1), await webhook(2), await webhook(3, undefined, uuid(2))];
    const almostFull = new Proxy(store, {
      get: (of, name) =>
        name === 'count'
          ? (_: string, where: object) => Promise.resolve('orgId' in where ? 0 : WEBHOOK_LIMITS.waiting - 10)
          : (of[name as keyof DocumentStore] as () => unknown).bind(of),
    });
    const target = open(almostFull);
    target.wake = () => undefined;
    const notices = Array.from({ length: 4 }, (_, n) => notice(n));
    const leftOut = await target.enqueueAll(ORG, new Map(ids.map((id) => [id, notices])));
    // Of ten free places an organisation gets five: three for the first webhook, two for the second.
    t.strictSame(
      [...leftOut].sort(),
      [
        [ids[0]!, 1],
        [ids[1]!, 2],
      ],
      'a webhook of another organisation gets nothing, and nothing of it is left out',
    );
    t.strictSame(await Promise.all(ids.map((id) => open().queue.countWaiting(id))), [3, 2, 0]);
  },

  ['as many requests as a process sends at once are no leak to warn of']: async (t, opened) => {
    const { target: open, webhook, receiver } = await bench(t, opened);
    const warnings: string[] = [];
    const heard = ({ name }: Error): void => void warnings.push(name);
    process.on('warning', heard);
    t.teardown(() => process.off('warning', heard));
    let answer = (): void => undefined;
    receiver.behaviour = { kind: 'slow', until: new Promise<void>((resolve) => (answer = resolve)) };
    const target = open();
    const ids = await Promise.all([1, 2].map((n) => webhook(n)));
    // All of them before the first is sent, as after a start.
    for (const id of ids) {
      for (let n = 0; n < WEBHOOK_LIMITS.lanes; n++)
        await target.queue.add(ORG, new Map([[id, [notice(n, `key ${n}`)]]]));
      await target.schedules.wake(ORG, [id]);
    }
    await target.look();
    await eventually(async () => receiver.messages.length === 2 * WEBHOOK_LIMITS.lanes || undefined);
    answer();
    await target.idle();
    t.same(warnings, []);
  },

  ['metrics count what was delivered, failed, given up, and not taken']: async (t, opened) => {
    const { target: open, webhook, receiver, clock, store } = await bench(t, opened);
    const metrics = createMetrics('query', { processMetrics: false });
    const target = open(store, metrics);
    const id = await webhook(1);
    await target.enqueue(id, notice(1));
    await deliver(target);
    receiver.behaviour = { kind: 'answer', status: 400 };
    await target.enqueue(id, notice(2));
    await deliver(target);
    clock.advance(WEBHOOK_LIMITS.triedMs);
    await deliver(target);
    const metricsOfFull = createMetrics('query', { processMetrics: false });
    const full = open(
      new Proxy(store, {
        get: (of, name) =>
          name === 'count'
            ? () => Promise.resolve(WEBHOOK_LIMITS.waiting)
            : (of[name as keyof DocumentStore] as () => unknown).bind(of),
      }),
      metricsOfFull,
    );
    await t.rejects(full.enqueue(id, notice(3)), OverloadedError);
    t.match(
      await metrics.text(),
      /sentinel_query_webhook_attempts_total\{result="delivered",service="query"\} 1\n/,
    );
    t.match(
      await metrics.text(),
      /sentinel_query_webhook_attempts_total\{result="failed",service="query"\} 2\n/,
    );
    t.match(
      await metrics.text(),
      /sentinel_query_webhook_undelivered_total\{reason="dead_letter",service="query"\} 1\n/,
    );
    t.match(
      await metricsOfFull.text(),
      /sentinel_query_webhook_undelivered_total\{reason="no_room",service="query"\} 1\n/,
    );
  },

  ['of two processes one sends at a time']: async (t, opened) => {
    const { target: open, webhook, receiver } = await bench(t, opened);
    const [one, two] = [open(), open()];
    const id = await webhook(1);
    for (let n = 0; n < 40; n++) await (n % 2 === 0 ? one : two).enqueue(id, notice(n));
    await Promise.all([deliver(one), deliver(two), deliver(one), deliver(two)]);
    t.equal(new Set(texts(receiver)).size, 40);
    t.equal(receiver.messages.length, 40);
  },

  ['killed between any two steps: delivered at least once, in order, with one id']: async (t, opened) => {
    const { target: open, webhook, receiver, store, clock } = await bench(t, opened);
    let survived = false;
    for (let step = 1; !survived; step++) {
      const id = await webhook(step);
      receiver.messages.length = 0;
      const { failing, wasKilled } = failingAfter(store, step);
      const killed = open(failing);
      const enqueued: Notice[] = [];
      survived = true;
      for (const n of [1, 2, 3]) {
        try {
          await killed.enqueue(id, notice(n, `key of ${step}`));
          enqueued.push(notice(n));
        } catch (error) {
          if (!(error instanceof NotDurableError)) throw error;
          survived = false;
          break;
        }
      }
      await killed.look().catch(() => undefined);
      await killed.idle();
      const next = open();
      // Whoever was not told that it is durable gives the notice again.
      for (const n of [1, 2, 3].slice(enqueued.length)) await next.enqueue(id, notice(n, `key of ${step}`));
      for (let more = 0; more < 4; more++) {
        clock.advance(WEBHOOK_LIMITS.leaseMs);
        await deliver(next);
      }
      t.equal(
        await store.count(WEBHOOK_NOTICES_COLLECTION.name, { waiting: 1 }),
        0,
        `step ${step}: nothing is left`,
      );
      const firsts = [...new Set(texts(receiver))];
      t.same(firsts, ['Notice 1', 'Notice 2', 'Notice 3'], `step ${step}: all, in order`);
      const ids = new Set(receiver.messages.map(({ headers, body }) => `${headers['webhook-id']} ${body}`));
      t.equal(ids.size, 3, `step ${step}: a repetition has the same id and body`);
      survived &&= !wasKilled();
    }
  },
};

/** What is kept is bounded; they write much. */
export const boundCases: typeof deliveryCases = {
  ['an organisation queues no more than there is room left']: async (t, opened) => {
    const { target: open, webhook, store, clock } = await bench(t, opened);
    const metrics = createMetrics('query', { processMetrics: false });
    const target = open(store, metrics);
    const [id, others] = [await webhook(1), await webhook(2, undefined, uuid(2))];
    const anyName: string = WEBHOOK_NOTICES_COLLECTION.name;
    const half = WEBHOOK_LIMITS.waiting / 2;
    for (let at = 0; at < half; at += 5_000) {
      const kept = Array.from({ length: 5_000 }, (_, n) => ({
        id: `x${at + n}`,
        orgId: ORG,
        waiting: 1,
        position: at + n,
      }));
      await store.insertMissing(anyName, kept);
    }
    for (let n = 0; n < 3; n++) await t.rejects(target.enqueue(id, notice(1)), OverloadedError);
    await target.look();
    const leftOut = async () => (await target.schedules.getMany([id])).get(id)?.leftOut;
    t.strictSame(await leftOut(), { notices: 3, since: NOW, at: NOW }, 'it says what it could not take');
    t.match(await metrics.text(), /query_webhook_undelivered_total\{reason="no_room",service="query"\} 3\n/);
    await target.enqueue(others, notice(1, 'a', uuid(2)));
    await store.remove(anyName, ['x0', 'x1', 'x2', 'x3']);
    clock.advance(WEBHOOK_LIMITS.countEveryMs);
    await target.enqueue(id, notice(1));
    await deliver(target);
    t.match(await leftOut(), { notices: 3 }, 'a delivery does not hide it');
    await target.schedules.addLeftOut(id, ORG, 2);
    t.match(await leftOut(), { notices: 5, since: NOW });
    clock.advance(WEBHOOK_LIMITS.leftOutMs);
    await target.schedules.addLeftOut(id, ORG, 1);
    t.match(await leftOut(), { notices: 1, since: clock.now() }, 'a day later it is a new storm');
  },

  ['log and dead letters of a webhook are bounded']: async (t, opened) => {
    const { target: open, webhook, receiver } = await bench(t, opened);
    const target = open();
    const id = await webhook(1);
    receiver.behaviour = { kind: 'answer', status: 200, body: 'x'.repeat(3_000) };
    for (let n = 0; n < WEBHOOK_LIMITS.attempts + 20; n++) await target.enqueue(id, notice(n));
    await deliver(target);
    const log = await target.attempts.newest(id);
    t.equal(log.length, WEBHOOK_LIMITS.attempts);
    t.equal(log[0]!.answer.length, 1_024);
  },
};

/** Every read of the queue goes by an index. */
export async function readsByIndex(t: Test, opened: OpenStore): Promise<void> {
  const { store } = await bench(t, opened);
  const [notices, schedules] = [WEBHOOK_NOTICES_COLLECTION.name, WEBHOOK_SCHEDULES_COLLECTION.name];
  const any = { gte: 0 };
  const queries = [
    [notices, { webhookId: 'w', nextAt: { lte: NOW } }, 'nextAt'],
    [notices, { webhookId: 'w', orderKey: 'k', position: any }, 'position'],
    [notices, { webhookId: 'w', diedAt: any }, 'diedAt'],
    [notices, { orgId: 'o', position: any }, 'position'],
    [notices, { waiting: 1 }, 'id'],
    [notices, { webhookId: 'w' }, 'id'],
    [notices, { expiresAt: { lt: NOW } }, 'expiresAt'],
    [schedules, { nextAt: { lte: NOW } }, 'nextAt'],
    [schedules, { nextAt: { gt: NOW }, setAt: { gt: NOW } }, 'nextAt'],
  ] as const;
  for (const [collection, where, field] of queries) {
    const plan = await store.explain(collection, { where, sort: { field, direction: 'asc' }, limit: 10 });
    t.equal(plan.fullScan, false, `${JSON.stringify(where)}: ${plan.detail}`);
  }
}
