/** One organisation does its worst in every way at once; another one reports, reads, listens and exports as ever. */
import { fileURLToPath } from 'node:url';
import t from 'tap';
import type { Event } from '@sentinel-node/contracts';
import { startChild } from './support/child.ts';
import { founder, invited, type Member } from './support/client.ts';
import type { NoiseCounts, NoiseMaker } from './support/noise.ts';
import { addFiles, deviceOf, version, type Reporter } from './support/reporter.ts';
import { linksOnce, raisedOn } from './support/scene.ts';
import { openStream } from './support/sse.ts';
import { startedSystem, type System } from './support/system.ts';
import { FILE_MS } from './support/until.ts';

const NOISE = fileURLToPath(new URL('./support/noise.js', import.meta.url));
/** Rounds of the neighbour: one report, heartbeat, page of events, list of devices; a whole export now and then. */
const ROUNDS = 20;
const ROUNDS_PER_EXPORT = 5;
/** Calls of people as in production; reports fewer, so that the machine judges them while it runs other tests. */
const ENV = {
  SENTINEL_LIMIT_USER_CALLS: '600',
  SENTINEL_LIMIT_DEVICE_REPORTS: '200',
  SENTINEL_LIMIT_DEVICE_BURST: '4000',
};

type Times = Record<string, number[]>;

t.setTimeout(FILE_MS);
t.test('noisy neighbour', { timeout: FILE_MS }, async (t) => {
  const system = await startedSystem(t, ENV);
  const noisy = await noiseMaker(system);
  const neighbour = await founder(system, 'bea@example.org', 'Bea');
  const stream = await openStream(t, neighbour);
  const agent = await deviceOf(neighbour);
  const files = await addFiles(agent, { log: {}, fixed: { modifiable: false } });
  const { log = '', fixed = '' } = files;
  await agent.report(log, 'FIRST', version('0'));
  await agent.report(fixed, 'FIRST', version('0'));

  const refused: string[] = [];
  const quiet = await life(agent, log, 1, refused);
  t.same(refused, [], 'nothing is refused without noise');
  const noise = startChild(t, [NOISE], { NOISE_MAKER: JSON.stringify(noisy) });
  const loud = await life(agent, log, 1 + ROUNDS, refused);
  t.same(refused, [], 'nothing of the neighbour is refused');
  await agent.report(fixed, 'REPLACED', version('0'), version('1'));
  await raisedOn(stream, fixed, 'UNEXPECTED_CHANGE');
  t.pass('its stream, opened before, tells what happens');
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

/** The neighbour's calls, one after the other; what was not answered as it has to be is added to `refused`. */
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

/** An organisation of six people and two devices. */
async function noiseMaker(system: System): Promise<NoiseMaker> {
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
  const urls = { ingestion: system.urlOf('ingestion'), query: system.urlOf('query') };
  return { urls, orgId: admin.orgId, people, devices };
}

function p99(times: readonly number[]): string {
  const sorted = [...times].sort((a, b) => a - b);
  return (sorted[Math.ceil(sorted.length * 0.99) - 1] ?? 0).toFixed(0);
}
