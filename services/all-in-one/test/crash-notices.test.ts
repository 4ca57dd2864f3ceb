/**
 * Tests kill -9 while webhooks and mails notify of alerts: each notice is sent at least once, under one id,
 * in order.
 */
import { setTimeout as pause } from 'node:timers/promises';
import t from 'tap';
import type { Alert } from '@sentinel-node/contracts';
import { matchList } from '@sentinel-node/test-kit/matching';
import { WebhookReceiver } from '@sentinel-node/test-kit/test-servers';
import { founder } from './support/client.ts';
import { Cluster } from './support/cluster.ts';
import { CLOCK, SESSIONS } from './support/faults.ts';
import { seeded } from './support/random.ts';
import { addFiles, deviceOf, version } from './support/reporter.ts';
import { alertsOf, turnOff } from './support/scene.ts';
import { startedSystem, SUITE_ENV } from './support/system.ts';
import { alertsTold, mailsTo, tellWebhooks, webhookTo, type ToldAlert } from './support/told.ts';
import { FAULTS_MS, until } from './support/until.ts';

/**
 * Number of files, whose alerts are raised and handled, each with a kill: fewer mails than a person may get
 * in an hour.
 */
const FILES = 5;
/**
 * Longest times from an event to the kill, in ms: during the making of the notice, the webhook or the mail.
 */
const KILL_WITHIN_MS = [60, 500, 4_000];
/** Longest time of the receiver's answer, in ms, so that some kills come between a message and its answer. */
const ANSWER_WITHIN_MS = 500;
/**
 * How far the clock goes ahead at each start, in ms: a killed process holds the lease of a webhook for a minute, of a mail
 * for two and a half, and the next kill comes while notices are sent, not while they wait for that.
 */
const AHEAD_MS = 180_000;
/** A fixed public address keeps the links in notices equal after a start at another port. */
const ENV = { ...SUITE_ENV, SENTINEL_PUBLIC_URL: 'http://localhost:8080' };
const TYPES = ['alert.raised', 'alert.handled'] as const;

t.setTimeout(FAULTS_MS);
t.test('kill -9 while alerts are told', { timeout: FAULTS_MS }, async (t) => {
  const random = seeded(t);
  const receiver = await WebhookReceiver.start();
  t.teardown(() => receiver.goOffline());
  receiver.behaviour = () => ({ kind: 'slow', until: pause(random(ANSWER_WITHIN_MS)) });
  const system = await startedSystem(t, ENV);
  const preloads = system instanceof Cluster ? [CLOCK, SESSIONS] : [CLOCK];
  const admin = await founder(system);
  await tellWebhooks(admin, [await webhookTo(admin, receiver.url)], TYPES);
  const agent = await deviceOf(admin);
  const names = Array.from({ length: FILES }, (_, n) => `told-${n}.txt`);
  const files = await addFiles(agent, Object.fromEntries(names.map((name) => [name, { modifiable: false }])));
  for (const fileId of Object.values(files)) await agent.report(fileId, 'FIRST', version('a'));

  const killed = async (n: number): Promise<void> => {
    await pause(random(KILL_WITHIN_MS[n % KILL_WITHIN_MS.length]!));
    const { length } = receiver.messages;
    await system.kill();
    await system.start({
      NODE_OPTIONS: preloads.map((file) => `--import=${file}`).join(' '),
      SENTINEL_TEST_CLOCK_OFFSET_MS: String((n + 1) * AHEAD_MS),
    });
    t.comment(`killed after ${length} messages`);
  };
  for (const [n, fileId] of Object.values(files).entries()) {
    await agent.report(fileId, 'REPLACED', version('a'), version('b'));
    await killed(2 * n);
    const alert = await until<Alert>('the alert', async () => (await alertsOf(agent, fileId))[0]);
    const { status } = await turnOff(admin, alert, 'RESOLVED');
    t.equal(status, 200, 'it was handled');
    await killed(2 * n + 1);
  }

  const told = (fileId: string): ToldAlert[] => alertsTold(receiver).filter((one) => one.fileId === fileId);
  for (const [name, fileId] of Object.entries(files)) {
    const all = await until(`both notices of ${name} at the webhook`, () => {
      const found = told(fileId);
      return TYPES.every((type) => found.some((one) => one.type.endsWith(type))) ? found : undefined;
    });
    const notices = all.filter((one, n) => one.body !== all[n - 1]?.body);
    matchList(
      t,
      notices.map(({ type }) => type),
      TYPES.map((type) => new RegExp(`${type}$`)),
      `${name}: both are told in their order, whether repeated or not`,
    );
    t.equal(new Set(all.map(({ id }) => id)).size, TYPES.length, `${name}: each has one id`);
    // An interrupted mail is sent again unchanged; no other mail says the same.
    for (const words of ['A new alert', 'was dismissed']) {
      const ids = await until(`"${words}" of ${name} by mail`, async () => {
        const lines = new RegExp(`The alert [^:]+ ${words}: \\S*${name}|${words}, [^:]+: \\S*${name}`);
        const found = (await mailsTo(system, admin.email)).filter(({ text }) => lines.test(text));
        return found.length > 0 ? found.map(({ messageId }) => messageId) : undefined;
      });
      t.same(
        [...new Set(ids)],
        [ids[0]],
        `${name}: "${words}" is in one mail, which came ${ids.length} times`,
      );
      t.type(ids[0], 'string');
    }
  }
  t.comment(`${receiver.messages.length} messages for ${TYPES.length * FILES} notices`);
});
