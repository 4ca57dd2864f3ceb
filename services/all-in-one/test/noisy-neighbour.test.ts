/**
 * Tests that one organisation's attacks in every way at once do not impair another's reports, reads, streams
 * and exports.
 */
import { setTimeout as pause } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { LIMITS, type Event, type WebhookDelivery } from '@sentinel-node/contracts';
import { WebhookReceiver, type ReceiverBehaviour } from '@sentinel-node/test-kit/test-servers';
import { startChild } from './support/child.ts';
import { founder, invited, type Member } from './support/client.ts';
import { BEGUN, type NoiseCounts, type NoiseMaker } from './support/noise.ts';
import { addFiles, deviceOf, version, type Reporter } from './support/reporter.ts';
import { linksOnce, raisedOn } from './support/scene.ts';
import { openStream } from './support/sse.ts';
import { startedSystem, type System } from './support/system.ts';
import { alertsTold, defaultRule, mailsTo, tellWebhooks, webhookTo } from './support/told.ts';
import { FAULTS_MS, until } from './support/until.ts';

const NOISE = fileURLToPath(new URL('./support/noise.js', import.meta.url));
/**
 * Rounds of the neighbour's calls: a report, a heartbeat, a page of events, the list of devices, and at times
 * a whole export.
 */
const ROUNDS = 20;
const ROUNDS_PER_EXPORT = 5;
/** Number of files that raise an alert at the noisy organisation's first report of each. */
const ALARMING_FILES = 500;
const TOLD_FILES = 3;
/** Delay of a slow receiver, in ms, below the sender's deadline. */
const SLOW_MS = 8_000;
/**
 * Limits: the calls of a person as in production, but fewer reports and calls of an organisation, as an operator would
 * set them for a store that answers some 250 commands a second: that is what the stand-in for MongoDB takes here.
 */
const ENV = {
  SENTINEL_LIMIT_USER_CALLS: '600',
  SENTINEL_LIMIT_ORGANIZATION_CALLS: '1200',
  SENTINEL_LIMIT_DEVICE_REPORTS: '200',
  SENTINEL_LIMIT_DEVICE_BURST: '4000',
  SENTINEL_LIMIT_ORGANIZATION_REPORTS: '200',
  SENTINEL_LIMIT_ORGANIZATION_BURST: '4000',
  SENTINEL_WEBHOOK_PRIVATE_TARGETS: 'yes',
};

/** Behaviours of the bad receiver; most hang. */
const BAD: readonly (() => ReceiverBehaviour)[] = [
  () => ({ kind: 'hang' }),
  () => ({ kind: 'hang' }),
  () => ({ kind: 'slow', until: pause(SLOW_MS) }),
  () => ({ kind: 'drip' }),
  () => ({ kind: 'answer', status: 503 }),
];

type Times = Record<string, number[]>;

t.setTimeout(FAULTS_MS);
t.test('noisy neighbour', { timeout: FAULTS_MS }, async (t) => {
  const system = await startedSystem(t, ENV);
  const bad = await receiverOf(t);
  // Choose the behaviour by the webhook's number at the end of the path.
  bad.behaviour = ({ path }) => BAD[Number(path.split('/').at(-1)) % BAD.length]!();
  const noisy = await noiseMaker(system, bad);
  const neighbour = await founder(system, 'bea@example.org', 'Bea');
  const stream = await openStream(t, neighbour);
  const agent = await deviceOf(neighbour);
  const good = await receiverOf(t);
  const webhookId = await webhookTo(neighbour, good.url);
  await tellWebhooks(neighbour, [webhookId]);
  const told = Array.from({ length: TOLD_FILES }, (_, n) => `told-${n}.txt`);
  const fixedFiles = Object.fromEntries(['fixed', ...told].map((name) => [name, { modifiable: false }]));
  const files = await addFiles(agent, { log: {}, ...fixedFiles });
  const { log = '', fixed = '' } = files;
  await agent.report(log, 'FIRST', version('0'));
  for (const name of ['fixed', ...told]) await agent.report(files[name]!, 'FIRST', version('0'));

  const refused: string[] = [];
  const quiet = await life(agent, log, 1, refused);
  t.same(refused, [], 'nothing is refused without noise');
  const noise = startChild(t, [NOISE], { NOISE_MAKER: JSON.stringify(noisy) });
  await until('the noise has begun', () => noise.stderr().includes(BEGUN) || undefined);
  const loud = await life(agent, log, 1 + ROUNDS, refused);
  t.same(refused, [], 'nothing of the neighbour is refused');
  await agent.report(fixed, 'REPLACED', version('0'), version('1'));
  await raisedOn(stream, fixed, 'UNEXPECTED_CHANGE');
  t.pass('its stream, opened before, tells what happens');
  await until('the receivers of the noisy organisation hang', () => bad.messages.length >= 100 || undefined);
  for (const name of told) {
    await agent.report(files[name]!, 'REPLACED', version('0'), version('1'));
    await until(
      `the webhook tells of ${name}`,
      () => alertsTold(good).some(({ fileId }) => fileId === files[name]) || undefined,
    );
    await until(
      `a mail tells of ${name}`,
      async () =>
        (await mailsTo(system, neighbour.email)).some(({ text }) => text.includes(name)) || undefined,
    );
  }
  t.pass('its webhook and its mails tell what happens');
  const { deliveries } = await neighbour.done('GET', `/webhooks/deliveries/${neighbour.orgId}/${webhookId}`);
  const failed = (deliveries as WebhookDelivery[]).filter(({ delivered }) => !delivered);
  t.same(failed, [], 'each at the first attempt');
  const another = await openStream(t, neighbour);
  t.ok(another, 'and another one can be opened');
  await linksOnce(agent, log, 1 + 2 * ROUNDS);
  t.pass('every report is in the chain');

  t.equal(noise.end(), undefined, 'the noise lasted until here');
  noise.process.kill('SIGTERM');
  await noise.ended;
  const counts = JSON.parse(noise.stdout()) as NoiseCounts;
  for (const [kind, answers] of Object.entries(counts)) {
    t.comment(
      `${kind}: ${Object.entries(answers)
        .map(([answer, count]) => `${answer} ${count}`)
        .join(', ')}`,
    );
    t.ok(Object.keys(answers).length > 0, `there were ${kind}`);
  }
  for (const call of Object.keys(quiet))
    t.comment(`${call}: p99 ${p99(quiet[call]!)} ms quiet, ${p99(loud[call]!)} ms beside the noise`);
});

/**
 * Makes the neighbour's calls one after the other and adds wrong answers to `refused`. @returns times by
 * call, in ms
 */
async function life(agent: Reporter, fileId: string, from: number, refused: string[]): Promise<Times> {
  const { member, path } = agent;
  const times: Times = {};
  const timed = async (
    name: string,
    status: number,
    run: () => Promise<{ status: number; body: unknown }>,
  ) => {
    const began = performance.now();
    const answer = await run();
    (times[name] ??= []).push(performance.now() - began);
    if (answer.status !== status) refused.push(`${name}: ${answer.status} ${JSON.stringify(answer.body)}`);
    return answer;
  };
  for (let n = from; n < from + ROUNDS; n += 1) {
    const versions = [version(`${n - 1}`), version(`${n}`)];
    await timed('report', 202, () => agent.send(fileId, { change: 'REPLACED', versions }));
    await timed('heartbeat', 200, () => agent.heartbeat('one'));
    await timed('events', 200, () => member.api('GET', `/events/${path}`));
    await timed('devices', 200, () => member.api('GET', `/devices/${member.orgId}`));
    if (n % ROUNDS_PER_EXPORT === 0) {
      const { body } = await timed('export', 200, () =>
        member.api('GET', `/events/${member.orgId}?toExport=true`),
      );
      const types = ((body as { events?: Event[] }).events ?? []).map(({ type }) => type);
      if (!types.includes('CREATE_DEVICE')) refused.push(`export: ${JSON.stringify(body).slice(0, 200)}`);
    }
  }
  return times;
}

/**
 * Makes an organisation of six people, two reporting devices, one device that only raises alerts, and as many
 * webhooks and rules as allowed.
 */
async function noiseMaker(system: System, receiver: WebhookReceiver): Promise<NoiseMaker> {
  const admin = await founder(system, 'ada@example.org', 'Ada');
  const people: Member[] = [admin];
  for (const name of ['Al', 'Amy', 'Ann', 'Art', 'Ava'])
    people.push(await invited(admin, `${name.toLowerCase()}@example.org`, name, 'ADMIN'));
  const devices = [];
  for (const name of ['one', 'two']) {
    const agent = await deviceOf(admin, { name });
    const fileIds = Object.values(await addFiles(agent, { a: {}, b: {}, c: {} }));
    devices.push({ id: agent.deviceId, apiKey: agent.apiKey, fileIds });
  }
  const webhookIds: string[] = [];
  for (let n = 0; n < LIMITS.webhooksPerOrganization; n += 1)
    webhookIds.push(await webhookTo(admin, `${receiver.url}/${n}`, `Webhook ${n}`));
  const rule = await defaultRule(admin);
  const addresses = Array.from({ length: LIMITS.notificationAddresses }, (_, n) => `n${n}@example.org`);
  const to = { ...rule.to, userIds: people.map(({ userId }) => userId), addresses, webhookIds };
  const when = { ...rule.when, types: ['alert.raised', 'alert.continued', 'alert.handled', 'chain.reset'] };
  // In addition to the default rule.
  for (let n = 1; n < LIMITS.notificationRules; n += 1)
    await admin.done('POST', `/notifications/rules/${admin.orgId}`, { ...rule, name: `Rule ${n}`, when, to });
  const alarming = await deviceOf(admin, { name: 'three' });
  const fixed = Array.from({ length: ALARMING_FILES }, (_, n) => [`fixed ${n}`, { modifiable: false }]);
  const alarmingIds = Object.values(await addFiles(alarming, Object.fromEntries(fixed)));
  const urls = { ingestion: system.urlOf('ingestion'), query: system.urlOf('query') };
  return {
    ...{ urls, orgId: admin.orgId, people, devices, webhookIds },
    alarming: { id: alarming.deviceId, apiKey: alarming.apiKey, fileIds: alarmingIds },
  };
}

function p99(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  return (sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0).toFixed(0);
}

async function receiverOf(t: Test): Promise<WebhookReceiver> {
  const receiver = await WebhookReceiver.start();
  t.teardown(() => receiver.goOffline());
  return receiver;
}
