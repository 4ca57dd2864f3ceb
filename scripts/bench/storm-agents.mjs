// Simulated agents that were cut off and come back at once, in a process of their own.
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { checkConfiguration, Simulation } from '@sentinel-node/agent';
import { answerCalls } from './child.mjs';

/** How long a call waits for the first answer to every agent, in milliseconds. */
const READY_MS = 20_000;

let simulation;
let backAt = 0;

answerCalls({
  start: async ({ folder, single }) => {
    const configurations = readdirSync(folder).map((name) =>
      checkConfiguration(JSON.parse(readFileSync(join(folder, name), 'utf8')), name),
    );
    simulation = await Simulation.start(configurations, { single });
  },
  ready: () => simulation.ready(READY_MS),
  /** Makes this many reports, of all agents together, which none of them can send. */
  keep: ({ reports }) => {
    simulation.out = true;
    simulation.make(reports);
    return simulation.result();
  },
  back: () => {
    simulation.out = false;
    backAt = Date.now();
  },
  result: () => {
    const result = simulation.result();
    return { ...result, lastAfterMs: Date.parse(result.lastAcceptedAt) - backAt };
  },
  stop: () => simulation.stop(),
});
