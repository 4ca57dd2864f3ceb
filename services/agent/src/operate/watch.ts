import type { ProofTrust } from '@sentinel-node/contracts';
import { AgentConfigError } from '../config-error.ts';
import { certificateExpiry } from '../net/certificates.ts';
import type { Network } from '../net/network.ts';
import {
  filesWithFaults,
  isPromiseBroken,
  isSettled,
  notLookedAt,
  pendingFiles,
  type AgentStatus,
} from '../status.ts';
import { readTrust, VerifyInputError } from '../verify/inputs.ts';
import { Agents, type AgentsOptions } from './agents.ts';
import { endByForce } from './end-by-force.ts';
import { ignoreHangUps } from './ends-by-itself.ts';
import { UNCHECKED, WRONG } from './exit-codes.ts';
import { logger, type LogFormat } from './log.ts';
import type { Signals } from './signals.ts';

const UNSENT = 5;
const PROMISE_BROKEN = 6;
/** Longest wait for running looks and calls at the end, in ms. */
const STOP_MS = 5_000;
/** Interval at which `--once` checks whether all work is done, in ms. */
const ONCE_LOOK_MS = 100;
/** Longest wait of `--once` between heartbeats that ask whether all is done, while nothing goes on, in ms. */
const ONCE_PAUSE_MS = 10_000;

export interface Watch {
  readonly network: Network;
  readonly signals: Signals;
  /** Path of the trust file. */
  readonly trustFile: string | undefined;
  /** Longest time of a run that looks at every file once, in ms; undefined: until a signal. */
  readonly onceMs: number | undefined;
}

/** Watches the files of the configurations. @returns the exit code. @throws AgentConfigError */
export async function watch(
  options: Omit<AgentsOptions, 'fetch' | 'trust'>,
  { network, signals, trustFile, onceMs }: Watch,
): Promise<number> {
  const format = options.logFormat;
  const trust = trustFile === undefined ? undefined : await trustIn(trustFile);
  const agents = new Agents({ ...options, fetch: network.fetch, trust });
  warnOfEnds(network, format);
  return onceMs === undefined
    ? await run(agents, format, signals)
    : await once(agents, onceMs, format, signals);
}

/** Reads the trust file. @throws AgentConfigError the file cannot be used */
async function trustIn(path: string): Promise<ProofTrust> {
  try {
    return await readTrust(path);
  } catch (error) {
    if (error instanceof VerifyInputError) throw new AgentConfigError(`--trust: ${error.message}`);
    throw error;
  }
}

async function run(agents: Agents, format: LogFormat, signals: Signals): Promise<number> {
  const stopped = signals.stopped();
  const started = agents.start();
  signals.onHangUp(() => void agents.reload());
  await Promise.race([started, stopped]);
  await stopped;
  logger(format)('info', 'stopping');
  await stopIn(agents, format);
  return 0;
}

/** Stops the agents, and ends the process by force when a look still hangs some seconds later. */
async function stopIn(agents: Agents, format: LogFormat): Promise<void> {
  await Promise.race([agents.stop(), new Promise((resolve) => setTimeout(resolve, STOP_MS).unref())]);
  endByForce(format);
}

/** Warns of each certificate that has ended or ends soon; the server decides whether to accept it. */
function warnOfEnds({ certificates }: Network, format: LogFormat): void {
  for (const certificate of certificates) {
    const { state, said } = certificateExpiry(certificate, Date.now());
    if (state !== 'good') logger(format)('warn', `${certificate.option}: ${certificate.file} ${said}`);
  }
}

/**
 * Returns a function that says whether heartbeats are due before their interval: when all files were looked at, again whenever
 * fewer or more reports wait, and else after pauses that double, so that many runs do not hold up a busy server.
 */
function earlyHeartbeats(): (statuses: readonly AgentStatus[], nowMs: number) => boolean {
  let before = '';
  let pauseMs = ONCE_LOOK_MS;
  let dueMs = 0;
  return (statuses, nowMs) => {
    if (!statuses.every(isLookedAt)) return false;
    const now = JSON.stringify(statuses.map(({ waiting, eventsWaiting }) => [waiting, eventsWaiting]));
    if (now === before && nowMs < dueMs) return false;
    pauseMs = now === before ? Math.min(2 * pauseMs, ONCE_PAUSE_MS) : ONCE_LOOK_MS;
    before = now;
    dueMs = nowMs + pauseMs;
    return true;
  };
}

const isLookedAt = (status: AgentStatus): boolean =>
  pendingFiles(status).length === 0 &&
  status.files.every((one) => one.checkedAt !== null || one.problem !== null);

async function once(agents: Agents, timeoutMs: number, format: LogFormat, signals: Signals): Promise<number> {
  const end = performance.now() + timeoutMs;
  let stopping = false;
  void signals.stopped().then(() => (stopping = true));
  ignoreHangUps(signals, format);
  await agents.start();
  const isDue = earlyHeartbeats();
  while (!stopping && performance.now() < end && !agents.statuses.every(isSettled)) {
    await new Promise((resolve) => setTimeout(resolve, ONCE_LOOK_MS));
    if (isDue(agents.statuses, performance.now())) agents.sendHeartbeatsSoon();
  }
  // Receipts are checked beside the heartbeats.
  const rest = Math.max(0, end - performance.now());
  if (!stopping)
    await Promise.race([agents.checked(), new Promise((resolve) => setTimeout(resolve, rest).unref())]);
  const statuses = agents.statuses;
  await stopIn(agents, format);
  const notChecked = [notLookedAt, filesWithFaults, pendingFiles];
  if (statuses.some((status) => notChecked.some((files) => files(status).length > 0))) return UNCHECKED;
  if (!statuses.every(isSettled) || statuses.some(({ setAside }) => setAside > 0)) return UNSENT;
  // A run looks at the log once, so that failed looks in a row never become a problem.
  if (statuses.some((status) => isPromiseBroken(status) || typeof status.log?.unread === 'string'))
    return PROMISE_BROKEN;
  return agents.notWatched.length > 0 ? WRONG : 0;
}
