import { misuseOf, parseOptions } from '../arguments.ts';
import { endsByItself } from './ends-by-itself.ts';
import { LOG_FORMATS } from './log.ts';
import { lowerPriority } from './priority.ts';
import { Signals } from './signals.ts';

export const AGENT_HELP = `usage: sentinel agent --config FILE|FOLDER... [--state DIR] [options]
       sentinel agent status [--state DIR] [--json]
       sentinel agent enrol --server URL --token T [options]; --help tells more

Watches the files that configurations name and reports their versions, until SIGINT or SIGTERM. SIGHUP reads the
configurations again. What could not be sent yet stays in the state folder and is sent at the next start.

  --config PATH     the configuration that the console's device page downloads, or a folder of them (*.json);
                    may be given several times, one agent a device
  --state DIR       where reports wait until they are accepted
                    (default: $XDG_STATE_HOME/sentinel-agent or ~/.local/state/sentinel-agent, a folder a device)
  --check           looks at the configuration, the state folder, the files, the server and the clock; starts nothing
  --dry-run         reads every file that the downloaded configuration names once and prints what would be reported;
                    sends nothing, keeps nothing, and does not know the server's newer configurations
  --once            looks at every file once, sends everything, ends (for cron)
  --timeout SECONDS for --once: what is not done by then is left for the next time (default 300,
                    at most 2147483); for --check (300) and --dry-run (as long as it takes): what is not looked
                    at by then is told
  --json            for --check, --dry-run and status: one JSON document on standard output
  --log FORMAT      text (default) or json, on standard error
  --metrics FILE    writes Prometheus text every 5 to 30 s, for node exporter's textfile collector
  --ca FILE         authorities (PEM) that are trusted beside the usual ones
  --cert FILE --key FILE
                    certificate and key (PEM) that the agent shows to the server or its proxy
  --nice N          how far the agent stands back behind other processes, 0 (not at all) to 19 (default 10)
  --read-rate MIB   files and archives are read at no more than so many MiB a second (default: as fast as it goes)
  --trust FILE      the operator's trust file: signed receipts and their proofs are checked with it, and that the
                    published log goes on from the checkpoint that the agent kept
  --help            this text

HTTPS_PROXY, HTTP_PROXY and NO_PROXY are honoured.

exit codes: 0 done; 1 a configuration, the state folder or a check is wrong; 2 wrong usage;
3 another agent uses the state folder; 4 --once, --dry-run: a file, or an archive of it, could not be looked at;
5 --once: the server has not taken everything yet, or refused a report for good; 6 --once: the server cannot
show reports that it accepted, their receipts are missing or cannot be kept, or its log does not go on or cannot be read;
status: 1 something is wrong
`;

const wrong = misuseOf('sentinel agent', AGENT_HELP);

const ONCE_TIMEOUT_S = 300;
/** Longest wait that a timer of the runtime takes, in seconds: a longer one would be over at once. */
const ONCE_TIMEOUT_MAX_S = 2_147_483;
const NICE = 10;
const NICE_MAX = 19;
const BYTES_PER_MIB = 1_048_576;

const OPTIONS = {
  config: { type: 'string', multiple: true },
  state: { type: 'string' },
  check: { type: 'boolean' },
  'dry-run': { type: 'boolean' },
  once: { type: 'boolean' },
  timeout: { type: 'string' },
  json: { type: 'boolean' },
  log: { type: 'string' },
  metrics: { type: 'string' },
  ca: { type: 'string' },
  cert: { type: 'string' },
  key: { type: 'string' },
  trust: { type: 'string' },
  nice: { type: 'string' },
  'read-rate': { type: 'string' },
  help: { type: 'boolean', short: 'h' },
} as const;

/** Runs `sentinel agent …`. @returns the exit code, as AGENT_HELP lists them */
export async function runAgent(args: readonly string[], signals = new Signals()): Promise<number> {
  if (args[0] === 'enrol') {
    endsByItself(signals, 'text');
    const { runEnrol } = await import('../enrol/command.ts');
    return await runEnrol(args.slice(1), (more) => runAgent(more, signals));
  }
  const { values, positionals } = parseOptions({ args: [...args], options: OPTIONS, allowPositionals: true });
  if (values.help === true) return print(AGENT_HELP);
  const [word, ...others] = positionals;
  if (others.length > 0 || (word !== undefined && word !== 'status'))
    return wrong(`there is no "${positionals.join(' ')}"`);
  const modes = ['check', 'dry-run', 'once'] as const;
  const [mode, more] = modes.filter((one) => values[one] === true);
  if (word === 'status') {
    if (mode !== undefined) return wrong(`status and --${mode} exclude each other`);
    endsByItself(signals, 'text');
    const { showStatus } = await import('./show-status.ts');
    return await showStatus(values.state, values.json === true);
  }
  if (values.config === undefined) return wrong('--config is missing');
  const format = LOG_FORMATS.find((one) => one === (values.log ?? 'text'));
  if (format === undefined) return wrong(`--log is ${LOG_FORMATS.join(' or ')}`);
  const timeout = Number(values.timeout ?? ONCE_TIMEOUT_S);
  if (!(timeout > 0 && timeout <= ONCE_TIMEOUT_MAX_S))
    return wrong(`--timeout is a number of seconds, ${ONCE_TIMEOUT_MAX_S} at most`);
  const nice = Number(values.nice ?? NICE);
  if (!Number.isInteger(nice) || nice < 0 || nice > NICE_MAX)
    return wrong(`--nice is a number from 0 to ${NICE_MAX}`);
  const readRate = Number(values['read-rate'] ?? Infinity);
  if (!(readRate > 0)) return wrong('--read-rate is a number of MiB a second');
  lowerPriority(nice);
  if (more !== undefined) return wrong(`--${mode} and --${more} exclude each other`);
  if (mode === 'check' || mode === 'dry-run') endsByItself(signals, format);
  const { openNetwork } = await import('../net/network.ts');
  const network = await openNetwork(values);
  const asked = { config: values.config, stateDir: values.state, json: values.json === true, format };
  const timeoutMs = timeout * 1_000;
  const readBytesPerSecond = readRate * BYTES_PER_MIB;
  if (mode === 'check' || mode === 'dry-run') {
    const { check, showDryRun } = await import('./diagnose.ts');
    if (mode === 'check') return await check({ ...asked, timeoutMs }, network, readBytesPerSecond);
    const lookMs = values.timeout === undefined ? Infinity : timeoutMs;
    return await showDryRun({ ...asked, timeoutMs: lookMs }, readBytesPerSecond);
  }
  const { watch } = await import('./watch.ts');
  return await watch(
    {
      config: values.config,
      stateDir: values.state,
      logFormat: format,
      metricsFile: values.metrics,
      readBytesPerSecond,
    },
    { network, signals, trustFile: values.trust, onceMs: mode === 'once' ? timeoutMs : undefined },
  );
}

function print(text: string): number {
  process.stdout.write(text);
  return 0;
}
