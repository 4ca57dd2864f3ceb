/** Reports through every part: accepted, judged, chained, projected, each step durable. */
import { makeFleet } from './fleet.mjs';
import { Flow } from './flow.mjs';
import { say } from './open.mjs';
import { GOALS } from './settings.mjs';
import { row } from './statistics.mjs';

export async function pipeline({ folder, pipelineFiles, pipelineSeconds, repeats, warmUpSeconds }) {
  const flow = await Flow.open(folder, makeFleet(pipelineFiles));
  say(`${pipelineFiles} files have their baseline`);
  const runs = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    runs.push(await flow.measure(pipelineSeconds, warmUpSeconds));
    say(`projected ${Math.round(runs.at(-1).projected)} reports/s, longest backlog ${runs.at(-1).longest}`);
  }
  await flow.stop();
  return { rows: rowsOf(runs) };
}

function rowsOf(runs) {
  const of = (name, format, value, goal) => row(name, format, runs.map(value), goal);
  const threads = [...new Set(runs.flatMap((run) => Object.keys(run.threads)))];
  return [
    of('accepted, reports/s', 'rate', (run) => run.accepted),
    of('judged, reports/s', 'rate', (run) => run.judged),
    of(
      'projected, reports/s',
      'rate',
      (run) => run.projected,
      `≥ ${GOALS.pipelinePerSecond.toLocaleString('en-US')}`,
    ),
    of('longest backlog, reports', 'count', (run) => run.longest),
    of('server, µs a report', 'micros', (run) => run.cpu),
    ...threads.map((name) => of(`  ${name}`, 'micros', (run) => run.threads[name] ?? 0)),
    of('senders, µs a report', 'micros', (run) => run.load),
    of('resident MiB', 'mebibytes', (run) => run.rss),
    of('peak resident MiB', 'mebibytes', (run) => run.maxRss),
  ];
}
