/** Runs the requested benchmarks, one after the other, and prints their figures. */
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { agent } from './agent.mjs';
import { killAgents } from './agent-process.mjs';
import { anchoring } from './anchoring.mjs';
import { killAll } from './child.mjs';
import { consoleInBrowser } from './console.mjs';
import { exporting } from './export.mjs';
import { growth } from './growth.mjs';
import { ingestBulk, ingestSingle } from './ingest.mjs';
import { kafkaIngest, kafkaPipeline } from './kafka.mjs';
import { overload, readable, soak } from './long.mjs';
import { machine, machineLines } from './machine.mjs';
import { notify } from './notify.mjs';
import { pipeline } from './pipeline.mjs';
import { history, query } from './query.mjs';
import { rebuild } from './rebuild.mjs';
import { settingsOf } from './settings.mjs';
import { table } from './statistics.mjs';
import { storm } from './storm.mjs';
import { stream } from './stream.mjs';

const BENCHMARKS = {
  'ingest-single': ingestSingle,
  'ingest-bulk': ingestBulk,
  pipeline,
  growth,
  notify,
  query,
  history,
  export: exporting,
  anchoring,
  'kafka-ingest': kafkaIngest,
  'kafka-pipeline': kafkaPipeline,
  agent,
  storm,
  stream,
  soak,
  overload,
  readable,
  rebuild,
  console: consoleInBrowser,
};

/** @returns the exit code */
export async function runBenchmarks({ names, json, data = tmpdir(), ...options }) {
  const folder = mkdtempSync(join(data, 'sentinel-bench-'));
  const remove = () => {
    killAll();
    killAgents();
    rmSync(folder, { recursive: true, force: true });
  };
  for (const signal of ['SIGINT', 'SIGTERM']) {
    process.once(signal, () => {
      remove();
      process.exit(1);
    });
  }
  const on = machine();
  process.stdout.write(`${machineLines(on)}${options.quick ? 'QUICK: the figures mean nothing\n' : ''}`);
  const results = {};
  try {
    for (const name of names) {
      const settings = {
        ...settingsOf(options),
        share: options.share ?? 1,
        seeded: options.seeded,
        folder: join(folder, name),
      };
      process.stdout.write(`\n${name}\n`);
      const { rows, notes = [] } = await BENCHMARKS[name](settings);
      process.stdout.write(`\n${table(rows)}${notes.map((note) => `${note}\n`).join('')}`);
      results[name] = { rows, notes };
    }
    if (json !== undefined)
      writeFileSync(json, `${JSON.stringify({ machine: on, quick: options.quick, results }, null, 2)}\n`);
    return 0;
  } catch (error) {
    process.stderr.write(`${error instanceof Error ? error.message : error}\n`);
    return 1;
  } finally {
    remove();
  }
}
