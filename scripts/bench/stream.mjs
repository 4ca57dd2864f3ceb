/** A thousand consoles of one organisation with their live streams open, and a hundred events a second. */
import { Child } from './child.mjs';
import { openServer, say } from './open.mjs';
import { GOALS } from './settings.mjs';
import { row } from './statistics.mjs';
import { used } from './usage.mjs';

/** A person may have this many streams open. */
const STREAMS_PER_PERSON = 20;

export async function stream({ folder, repeats, streamConsoles, streamSeconds, eventsPerSecond }) {
  const { server, url } = await openServer('system', folder, {});
  const consoles = new Child('stream-consoles.mjs');
  const people = Math.ceil(streamConsoles / STREAMS_PER_PERSON);
  await consoles.ask('open', { url, count: streamConsoles, people });
  say(`${streamConsoles} streams of ${people} people are open`);
  const runs = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    const before = { server: await server.ask('usage'), consoles: await consoles.ask('usage') };
    const run = await consoles.ask('run', { seconds: streamSeconds, rate: eventsPerSecond });
    const after = { server: await server.ask('usage'), consoles: await consoles.ask('usage') };
    const took = used(before.server, after.server);
    const seconds = (after.server.at - before.server.at) / 1_000;
    runs.push({ ...run, ...took, seconds, load: used(before.consoles, after.consoles).cpu });
    say(`p99 ${run.p99.toFixed(0)} ms, ${run.missed} missed, ${run.resyncs} told to read anew`);
  }
  await consoles.stop();
  await server.stop();
  const of = (name, format, value, goal) => row(name, format, runs.map(value), goal);
  return {
    rows: [
      of('202 to each console, p50 ms', 'millis', ({ p50 }) => p50),
      of('202 to each console, p99 ms', 'millis', ({ p99 }) => p99, `≤ ${GOALS.streamP99Ms}`),
      of('events that did not come', 'count', ({ missed }) => missed, '0'),
      of('consoles told to read anew', 'count', ({ resyncs }) => resyncs, '0'),
      of('sent, MiB a second', 'mebibytes', (run) => run.bytes / run.seconds),
      of('server, µs an event and console', 'micros', (run) => run.cpu / run.delivered),
      of('consoles, µs an event', 'micros', (run) => run.load / run.delivered),
      of('server, resident MiB', 'mebibytes', ({ rss }) => rss),
    ],
    notes: [`${streamConsoles} consoles, ${eventsPerSecond} events a second, ${streamSeconds} s a run`],
  };
}
