/** Long loads: for half an hour below the best rate, above it, and at the rate of the goal; and what is left when the process is killed. */
import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Child } from './child.mjs';
import { makeFleet } from './fleet.mjs';
import { Flow } from './flow.mjs';
import { openServer, say } from './open.mjs';
import { GOALS, POLL_MS } from './settings.mjs';
import { percentile, row } from './statistics.mjs';

const MS_PER_SECOND = 1_000;
const BYTES_PER_MIB = 1_048_576;
const PROBES_PER_SECOND = 10;
/** A probe at this rate for this time reports each of its files, and so to every partition. */
const PROBES_TO_ALL_PER_SECOND = 100;
const PROBES_TO_ALL_MS = 1_500;
/** The longest time for a backlog to drain, in milliseconds. */
const DRAIN_MS = 1_800_000;

/** `soakShare` of the best rate for `soakSeconds`; then the same share of the best rate again, and a kill in the midst. */
export async function soak(settings) {
  const { soakShare, share } = settings;
  const soakSeconds = settings.soakSeconds / share;
  const scene = await opened(settings);
  const rate = scene.best * soakShare;
  const { looks, slices, postponed, failed } = await held(scene, rate, soakSeconds);
  await scene.probe.ask('end');
  await scene.flow.drain(DRAIN_MS);
  await delay(MS_PER_SECOND);
  slices.push(await scene.probe.ask('take'));
  const rows = [
    row('best, reports/s', 'rate', [scene.best]),
    row('held, reports/s', 'rate', [rateOf(looks, 'accepted')]),
    row('projected, reports/s', 'rate', [rateOf(looks, 'projected')]),
    ...refusalRows(postponed, failed, slices),
    row('202 to readable, p99 ms', 'millis', [p99(slices)], `≤ ${GOALS.readableP99Ms}`),
    row('  in the first third', 'millis', [p99(third(slices, 0))]),
    row('  in the last third', 'millis', [p99(third(slices, 2))]),
    ...memoryRows(looks),
    row('files and sockets open, first and last third', 'count', [
      medianOf(third(looks, 0), 'handles'),
      medianOf(third(looks, 2), 'handles'),
    ]),
  ];
  rows.push(...(await killedAndStarted(scene, rate, settings)));
  return { rows, notes: notesOf(settings, soakSeconds) };
}

/** `overloadTimes` the best rate for `overloadSeconds`, then the time until all is as before. */
export async function overload(settings) {
  const { overloadTimes, overloadConnections, share } = settings;
  const overloadSeconds = settings.overloadSeconds / share;
  // So many that the server is asked for more than it can do, although each connection waits for its answer.
  const scene = await opened({ ...settings, connections: overloadConnections });
  const { looks, slices, endedAt, postponed, failed } = await held(
    scene,
    scene.best * overloadTimes,
    overloadSeconds,
  );
  const backlog = looks.at(-1).stages.accepted - looks.at(-1).stages.projected;
  say(`${Math.round(backlog)} reports wait; ${failed} requests were refused, ${postponed} came again`);
  const recovery = await recovered(scene, slices, endedAt);
  const rows = [
    row('best, reports/s', 'rate', [scene.best]),
    row('accepted, reports/s', 'rate', [rateOf(looks, 'accepted')]),
    ...refusalRows(postponed, failed, slices),
    row('projected, reports/s', 'rate', [rateOf(looks, 'projected')]),
    row(
      'ratio to the best',
      'ratio',
      [rateOf(looks, 'projected') / scene.best],
      `≥ ${GOALS.overload.toFixed(2)}`,
    ),
    row('202 to readable, p99 ms', 'millis', [p99(slices)]),
    ...memoryRows(looks),
    row('reports that wait at the end', 'count', [backlog]),
    row('until all were projected, s', 'millis', [recovery.drained]),
    row('until a report is readable at once again, s', 'millis', [recovery.readable], '≤ 5'),
  ];
  rows.push(...(await killedAndStarted(scene, scene.best * settings.soakShare, settings)));
  return { rows, notes: notesOf(settings, overloadSeconds) };
}

/** A quarter of the rate of the goal, then that rate, each for `readableSeconds`: how soon a report can be read. */
export async function readable(settings) {
  const seconds = settings.readableSeconds / settings.share;
  const scene = await opened(settings);
  const rows = [row('best, reports/s', 'rate', [scene.best])];
  for (const { name, part, goal } of [
    { name: 'a quarter of the goal', part: 0.25, goal: GOALS.quarterP99Ms },
    { name: 'the goal', part: 1, goal: GOALS.readableP99Ms },
  ]) {
    const { looks, slices, postponed, failed } = await held(scene, GOALS.pipelinePerSecond * part, seconds);
    await scene.probe.ask('end');
    await scene.flow.drain(DRAIN_MS);
    await delay(MS_PER_SECOND);
    slices.push(await scene.probe.ask('take'));
    rows.push(
      row(`${name}: projected, reports/s`, 'rate', [rateOf(looks, 'projected')]),
      ...refusalRows(postponed, failed, slices).map((one) => ({ ...one, name: `  ${one.name}` })),
      row('  202 to readable, p50 ms', 'millis', [p50(slices)]),
      row('  202 to readable, p99 ms', 'millis', [p99(slices)], `≤ ${goal}`),
    );
  }
  await scene.probe.stop();
  await scene.flow.stop();
  return { rows, notes: notesOf(settings, seconds) };
}

async function opened({ folder, longFiles, pipelineSeconds, warmUpSeconds, connections }) {
  const flow = await Flow.open(folder, makeFleet(longFiles), { connections });
  say(`${longFiles} files have their baseline`);
  const probe = new Child('probe.mjs');
  await probe.ask('open', { url: flow.url });
  const { projected: best } = await flow.measure(pipelineSeconds, warmUpSeconds);
  say(`best rate: ${Math.round(best)} reports/s`);
  return { flow, probe, best, folder };
}

/** Sends, and probes; the probe goes on. @returns the looks, and what the probe saw between two of them */
async function held({ flow, probe }, perSecond, seconds) {
  const slices = [];
  await probe.ask('start', { rate: PROBES_PER_SECOND });
  const everyMs = Math.max(MS_PER_SECOND, (seconds * MS_PER_SECOND) / 60);
  let before;
  const onLook = async (look) => {
    slices.push(await probe.ask('take'));
    const { stages, server } = look;
    const waiting = Math.round(stages.accepted - stages.projected);
    say(
      `${rateOf([before ?? look, look], 'projected') | 0} reports/s, ${waiting} wait, ${(server.rss / BYTES_PER_MIB) | 0} MiB, ` +
        `readable after ${shown(slices.at(-1))}`,
    );
    before = look;
  };
  const { looks, endedAt, postponed, failed, firstFailure } = await flow.hold(seconds, {
    perSecond,
    everyMs,
    onLook,
  });
  if (firstFailure !== undefined) say(`the first refused request: ${firstFailure}`);
  return { looks, slices, endedAt, postponed, failed };
}

/** Returns the p99 of a slice; where none came, how long the oldest has waited. */
const shown = ({ millis, oldest }) =>
  millis.length > 0 ? `${percentile(millis, 0.99).toFixed(0)} ms` : `more than ${oldest.toFixed(0)} ms`;

/** Waits until the backlog is gone; what the probe sees meanwhile belongs to the load. @returns the seconds since the load ended until then, and until a new report was readable within the goal */
async function recovered({ flow, probe }, slices, endedAt) {
  const seconds = () => (performance.now() - endedAt) / MS_PER_SECOND;
  let readable;
  const drained = flow.drain(DRAIN_MS).then(seconds);
  let isDrained = false;
  void drained.then(() => (isDrained = true));
  while (!isDrained || readable === undefined) {
    await delay(MS_PER_SECOND);
    slices.push(await probe.ask('take'));
    const { millis } = slices.at(-1);
    if (readable === undefined && millis.length > 0 && percentile(millis, 0.99) <= GOALS.readableP99Ms)
      readable = seconds();
    if (isDrained && seconds() > (await drained) + 60) break;
  }
  await probe.ask('end');
  await delay(MS_PER_SECOND);
  slices.push(await probe.ask('take'));
  return { drained: await drained, readable: readable ?? Infinity };
}

/** Kills the server while it works and opens it again. */
async function killedAndStarted({ flow, probe, folder }, perSecond, { killAfterSeconds }) {
  await probe.ask('close');
  const { stages } = await flow.killUnderLoad(killAfterSeconds, { perSecond });
  const reports = stages.accepted;
  const bytes = sizeOf(join(folder, 'data'));
  const began = performance.now();
  const seconds = () => (performance.now() - began) / MS_PER_SECOND;
  const { server, url } = await openServer('system', folder, {});
  const started = seconds();
  const readableAgain = await caughtUp(probe, url, seconds);
  const { rss } = await server.ask('usage');
  await server.stop();
  const again = performance.now();
  const { server: second } = await openServer('system', folder, {});
  const startedAgain = (performance.now() - again) / MS_PER_SECOND;
  await second.stop();
  return [
    row('reports accepted', 'count', [reports]),
    row('data folder, bytes a report', 'count', [bytes / reports], `≤ ${GOALS.folderBytes}`),
    row('start after a stop, s', 'millis', [startedAgain], `≤ ${GOALS.startSeconds}`),
    row('start after kill -9 under load, s', 'millis', [started]),
    row(
      '  until reports of all partitions can be read, s',
      'millis',
      [readableAgain],
      `≤ ${GOALS.caughtUpSeconds}`,
    ),
    row('  resident MiB then', 'mebibytes', [rss]),
  ];
}

/**
 * Waits until what is reported now can be read: the probe has files in every partition, and their events come behind all that was there
 * before. Counters alone would also stand while nothing works.
 * @returns the seconds until then @throws Error a report was refused, or its event did not come within `DRAIN_MS`
 */
async function caughtUp(probe, url, seconds) {
  await probe.ask('reopen', { url });
  await probe.ask('start', { rate: PROBES_TO_ALL_PER_SECOND });
  await delay(PROBES_TO_ALL_MS);
  await probe.ask('end');
  let slice;
  do {
    await delay(POLL_MS);
    slice = await probe.ask('take');
    if (slice.failed > 0) throw new Error(`a report after the start was refused: ${slice.firstFailure}`);
    if (slice.oldest > DRAIN_MS) throw new Error(`${slice.waiting} events did not come`);
  } while (slice.waiting > 0);
  const at = seconds();
  await probe.stop();
  return at;
}

const sizeOf = (folder) =>
  readdirSync(folder, { recursive: true })
    .map((name) => statSync(join(folder, name)))
    .reduce((bytes, stat) => bytes + (stat.isFile() ? stat.size : 0), 0);

const rateOf = (looks, stage) => {
  const [first, last] = [looks[0], looks.at(-1)];
  return ((last.stages[stage] - first.stages[stage]) / Math.max(1, last.at - first.at)) * MS_PER_SECOND;
};

const allOf = (slices) => slices.flatMap(({ millis }) => millis);
const p50 = (slices) => percentile(allOf(slices), 0.5);
const p99 = (slices) => percentile(allOf(slices), 0.99);

const sum = (slices, field) => slices.reduce((all, slice) => all + slice[field], 0);

/** Returns one of three equal parts of a list. */
const third = (all, which) =>
  all.slice(Math.floor((all.length * which) / 3), Math.ceil((all.length * (which + 1)) / 3));

const medianOf = (looks, field) =>
  percentile(
    looks.map(({ server }) => server[field]),
    0.5,
  );

const refusalRows = (postponed, failed, slices) => [
  row('requests told to come again', 'count', [postponed]),
  row('requests refused for good', 'count', [failed], '0'),
  row('probes refused', 'count', [sum(slices, 'failed')], '0'),
  row('events that did not come', 'count', [slices.at(-1).waiting], '0'),
];

const memoryRows = (looks) => [
  row('resident MiB, first third', 'mebibytes', [medianOf(third(looks, 0), 'rss')]),
  row('resident MiB, last third', 'mebibytes', [medianOf(third(looks, 2), 'rss')]),
  row('resident MiB, most', 'mebibytes', [Math.max(...looks.map(({ server }) => server.rss))]),
];

const notesOf = ({ longFiles }, seconds) => [
  `${longFiles} files, ${seconds} s; ${PROBES_PER_SECOND} probes a second of an organisation of its own`,
];
