/** All views made anew from the log. */
import { join } from 'node:path';
import { Child } from './child.mjs';
import { makeFleet } from './fleet.mjs';
import { Flow } from './flow.mjs';
import { say, SECRET } from './open.mjs';
import { GOALS } from './settings.mjs';
import { row } from './statistics.mjs';

/** The longest rebuild, in milliseconds. */
const REBUILD_MS = 900_000;

export async function rebuild({ folder, pipelineFiles, rebuildSeconds, warmUpSeconds, repeats }) {
  const flow = await Flow.open(folder, makeFleet(pipelineFiles));
  await flow.measure(rebuildSeconds, warmUpSeconds);
  await flow.stop();
  const runs = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    runs.push({ read: await inChild('readLog', folder), made: await inChild('rebuildViews', folder) });
    say(`read in ${runs.at(-1).read.seconds.toFixed(1)} s, made in ${runs.at(-1).made.seconds.toFixed(1)} s`);
  }
  const of = (name, format, value, goal) => row(name, format, runs.map(value), goal);
  return {
    rows: [
      of('records of the log', 'count', ({ read }) => read.result),
      of('read, records/s', 'rate', ({ read }) => read.result / read.seconds),
      of('made, records/s', 'rate', ({ read, made }) => read.result / made.seconds),
      of('ratio', 'ratio', ({ read, made }) => read.seconds / made.seconds, `≥ ${GOALS.rebuild.toFixed(2)}`),
      of('read, µs of processor time a record', 'micros', ({ read }) => read.cpu / read.result),
      of('made, µs of processor time a record', 'micros', ({ read, made }) => made.cpu / read.result),
    ],
  };
}

/** A process of its own, so that nothing is in memory from before. */
async function inChild(what, folder) {
  const child = new Child('replay.mjs', { patienceMs: REBUILD_MS });
  const done = await child.ask(what, { folder: join(folder, 'data'), secret: SECRET });
  await child.stop();
  return done;
}
