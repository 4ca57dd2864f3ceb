import type { AgentConfiguration } from '@sentinel-node/contracts';
import { misuseOf, parseOptions } from '../arguments.ts';
import { AgentConfigError } from '../config-error.ts';
import { openNetwork } from '../net/network.ts';
import { readSources } from '../operate/sources.ts';
import { resultText, shortfalls } from './print.ts';
import { outagesOf, plannedVersions, runPlan, type Plan, type PlanResult } from './run-plan.ts';
import { Simulation } from './simulation.ts';

export const SIMULATE_HELP = `usage: sentinel simulate --config DIR --agents N --rate R --seconds S [options]

Behaves like N agents with made-up files: heartbeats, single and bulk reports, retries, as the agent itself does them.
Use it with devices that were made for it: their chains get the made-up versions, and a file that may not change raises
alerts. No agent may run for these devices.

  --config DIR      folder of downloaded configurations (*.json), one a device; the first N are used
  --agents N        1 to 5,000
  --rate R          new versions a second, of all agents together; 0.01 to 50,000. A file that has none for an hour is
                    reported as it is, as the agent does it
  --seconds S       how long reports are made; 1 to 86,400
  --outage-every E  every E seconds no call gets out (2 to 3,600); reports are kept, and sent by all agents afterwards
  --outage-for F    for F seconds of these E (default: half of E)
  --drain SECONDS   how long is waited in the end for what was kept; 1 to 3,600 (default 120)
  --single          sends each report by a call of its own; else those that wait go together
  --ca FILE         authorities (PEM) that are trusted beside the usual ones
  --cert FILE --key FILE
                    certificate and key (PEM) that are shown to the server
  --json            one JSON document on standard output
  --help            this text

At most 200,000 reports wait at once; while as many do, further ones are not made and counted as skipped.

SIGINT or SIGTERM ends making reports, another one the wait for those that were kept.

exit codes: 0 all planned versions were made, and every report was accepted; 1 a configuration or a certificate is wrong;
2 wrong usage; 4 a report was refused for good, or an agent had no answer in a minute; 5 a report still waited at the end;
6 less was made than planned: reports were skipped, the server does not have a file, or the end came early
`;

const wrong = misuseOf('sentinel simulate', SIMULATE_HELP);

const REFUSED = 4;
const LOST = 5;
const LESS = 6;
const DRAIN_S = 120;

const OPTIONS = {
  config: { type: 'string' },
  agents: { type: 'string' },
  rate: { type: 'string' },
  seconds: { type: 'string' },
  'outage-every': { type: 'string' },
  'outage-for': { type: 'string' },
  drain: { type: 'string' },
  ca: { type: 'string' },
  cert: { type: 'string' },
  key: { type: 'string' },
  single: { type: 'boolean' },
  json: { type: 'boolean' },
  help: { type: 'boolean', short: 'h' },
} as const;

type Name = 'agents' | 'rate' | 'seconds' | 'outage-every' | 'outage-for' | 'drain';

/** Least and largest value of each option. */
const RANGES: Readonly<Record<Name, readonly [number, number]>> = {
  agents: [1, 5_000],
  rate: [0.01, 50_000],
  seconds: [1, 86_400],
  'outage-every': [2, 3_600],
  'outage-for': [1, 3_599],
  drain: [1, 3_600],
};

/** Runs `sentinel simulate …`. @returns the exit code, as SIMULATE_HELP lists them */
export async function runSimulate(args: readonly string[]): Promise<number> {
  const { values } = parseOptions({ args: [...args], options: OPTIONS });
  if (values.help === true) {
    process.stdout.write(SIMULATE_HELP);
    return 0;
  }
  const { config } = values;
  if (config === undefined) return wrong('--config is missing');
  const read = readPlan(values);
  if (typeof read === 'string') return wrong(read);
  const { agents, plan } = read;
  const configurations = await configurationsIn(config, agents);
  const network = await openNetwork(values);
  let stopping = new AbortController();
  const stop = (): void => stopping.abort();
  process.on('SIGINT', stop).on('SIGTERM', stop);
  const simulation = await Simulation.start(configurations, {
    fetch: network.fetch,
    single: values.single === true,
  });
  const result = await runPlan(simulation, plan, stopping.signal, () => {
    if (stopping.signal.aborted)
      process.stderr.write(
        'sentinel simulate: ended early; waits for kept reports, until the signal comes again\n',
      );
    stopping = new AbortController();
    return stopping.signal;
  });
  process.off('SIGINT', stop).off('SIGTERM', stop);
  process.stdout.write(values.json === true ? `${JSON.stringify(result, null, 2)}\n` : resultText(result));
  for (const line of shortfalls(result)) process.stderr.write(`sentinel simulate: ${line}\n`);
  return exitCodeOf(result);
}

function exitCodeOf(result: PlanResult): number {
  const { agents, ready, refused, lost } = result;
  if (refused > 0 || ready < agents) return REFUSED;
  if (lost > 0) return LOST;
  return shortfalls(result).length > 0 ? LESS : 0;
}

/** Reads the options into a plan. @returns a message when an option is wrong */
function readPlan(
  values: Readonly<Partial<Record<Name, string>>>,
): { readonly agents: number; readonly plan: Plan } | string {
  const numbers: Partial<Record<Name, number>> = {};
  for (const name of ['agents', 'rate', 'seconds', 'outage-every', 'outage-for', 'drain'] as const) {
    const text = values[name];
    if (text === undefined) continue;
    const [from, to] = RANGES[name];
    const number = Number(text);
    const isWhole = name !== 'agents' || Number.isInteger(number);
    if (text.trim() === '' || !isWhole || !(number >= from && number <= to))
      return `--${name} is a ${name === 'agents' ? 'whole ' : ''}number from ${from} to ${to}`;
    numbers[name] = number;
  }
  const { agents, rate, seconds, drain = DRAIN_S, 'outage-every': every, 'outage-for': given } = numbers;
  if (agents === undefined || rate === undefined || seconds === undefined)
    return '--agents, --rate and --seconds are needed';
  if (every === undefined && given !== undefined) return '--outage-for needs --outage-every';
  if (plannedVersions({ ratePerSecond: rate, seconds }) === 0)
    return '--rate and --seconds make no version: give more of one of them';
  const lasts = given ?? (every ?? 0) / 2;
  if (every !== undefined && lasts >= every) return '--outage-for is shorter than --outage-every';
  const outage = every === undefined ? undefined : { everySeconds: every, forSeconds: lasts };
  return { agents, plan: { ratePerSecond: rate, seconds, drainSeconds: drain, isOutage: outagesOf(outage) } };
}

/** Reads `count` configurations. @throws AgentConfigError too few configurations, or an unusable one */
async function configurationsIn(folder: string, count: number): Promise<AgentConfiguration[]> {
  const { good, bad } = await readSources([folder], undefined);
  if (bad[0] !== undefined) throw new AgentConfigError(bad[0].message);
  if (good.length < count)
    throw new AgentConfigError(`${folder} has ${good.length} configurations for ${count} agents`);
  return good.slice(0, count).map(({ configuration }) => configuration);
}
