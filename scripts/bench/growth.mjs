/** The pipeline with few and with many files: its rate after the indexes have grown. */
import { join } from 'node:path';
import { makeFleet } from './fleet.mjs';
import { Flow } from './flow.mjs';
import { say } from './open.mjs';
import { GOALS } from './settings.mjs';
import { row } from './statistics.mjs';

export async function growth({ folder, growthFiles, growthSeconds, repeats, warmUpSeconds }) {
  const sizes = [];
  for (const files of growthFiles) {
    sizes.push({ files, flow: await Flow.open(join(folder, String(files)), makeFleet(files)), runs: [] });
    say(`${files} files have their baseline`);
  }
  // In turns, so that other work of the machine affects both equally.
  for (let repeat = 0; repeat < repeats; repeat += 1) {
    for (const { files, flow, runs } of sizes) {
      runs.push(await flow.measure(growthSeconds, warmUpSeconds));
      say(`${files} files: projected ${Math.round(runs.at(-1).projected)} reports/s`);
    }
  }
  for (const { flow } of sizes) await flow.stop();
  return { rows: rowsOf(sizes) };
}

function rowsOf(sizes) {
  const count = (files) => files.toLocaleString('en-US');
  const [smallest] = sizes;
  const largest = sizes.at(-1);
  const ratios = (field, over, under) => over.runs.map((run, index) => run[field] / under.runs[index][field]);
  return [
    ...sizes.map(({ files, runs }) =>
      row(
        `${count(files)} files, reports/s`,
        'rate',
        runs.map((run) => run.projected),
      ),
    ),
    row(
      'ratio of the largest',
      'ratio',
      ratios('projected', largest, smallest),
      `≥ ${GOALS.growth.toFixed(2)}`,
    ),
    row('the same by processor time', 'ratio', ratios('cpu', smallest, largest)),
    ...sizes.map(({ files, runs }) =>
      row(
        `${count(files)} files, µs a report`,
        'micros',
        runs.map((run) => run.cpu),
      ),
    ),
    ...sizes.map(({ files, runs }) =>
      row(
        `${count(files)} files, peak resident MiB`,
        'mebibytes',
        runs.map((run) => run.maxRss),
      ),
    ),
  ];
}
