import { open, readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { messageOf } from '@sentinel-node/contracts/thrown';
import { isClockOff } from '../clock.ts';
import { isStateInUse } from '../io/state-lock.ts';
import { filesWithFaults, uncheckedFiles, type FileStatus, type WrittenStatus } from '../status.ts';
import { escapeLines } from './escape-lines.ts';
import { STATUS_FILE } from './sources.ts';

/** Status of one device for `sentinel agent status`. */
export interface ReadStatus {
  readonly stateDir: string;
  /** null when this cannot be told. */
  readonly running: boolean | null;
  /** The agent's last written status; null when unreadable. */
  readonly status: WrittenStatus | null;
  /** When the agent last wrote or confirmed it: but for times nothing has changed until then. ISO 8601 by the machine's clock. */
  readonly confirmedAt: string;
  /** Problems found; empty without a problem. */
  readonly faults: readonly string[];
}

/**
 * Age of a status above which the agent counts as hanging: number of intervals at which it is written, and the most in ms, which
 * counts for a status that does not say its interval. One that is as far ahead was written before the clock was set back.
 */
const STALE_WRITES = 3;
const STALE_MS = 60_000;
/** Number of heartbeat intervals after which the server shows a device as lost. */
const LOST_BEATS = 3;

/** Reads the statuses in `base` itself and in its folders. @throws Error of node:fs */
export async function readStatuses(base: string, nowMs = Date.now()): Promise<ReadStatus[]> {
  const entries = await readdir(base, { withFileTypes: true });
  const folders = entries.filter((entry) => entry.isDirectory()).map(({ name }) => join(base, name));
  const found = await Promise.all([base, ...folders.sort()].map((folder) => statusIn(folder, nowMs)));
  return found.filter((one) => one !== undefined);
}

async function statusIn(stateDir: string, nowMs: number): Promise<ReadStatus | undefined> {
  const found = await read(join(stateDir, STATUS_FILE)).catch(() => undefined);
  if (found === undefined) return undefined;
  const { status, confirmedMs } = found;
  const confirmedAt = new Date(confirmedMs).toISOString();
  try {
    const running = isStateInUse(stateDir);
    return { stateDir, running, status, confirmedAt, faults: faultsOf(running, status, nowMs, confirmedMs) };
  } catch (error) {
    const why = `it is not known whether its agent runs: ${messageOf(error)}`;
    return { stateDir, running: null, status, confirmedAt, faults: [why] };
  }
}

/** Reads a status and the time of its file, which is meanwhile replaced as a whole. @throws Error of node:fs */
async function read(path: string) {
  const handle = await open(path);
  try {
    const status = parsed(await handle.readFile('utf8'));
    return { status, confirmedMs: (await handle.stat()).mtimeMs };
  } finally {
    await handle.close();
  }
}

function parsed(text: string): WrittenStatus | null {
  try {
    return JSON.parse(text);
  } catch {
    return null;
  }
}

/**
 * Returns every problem that impairs watching this device.
 * @param confirmedMs when the status was written or confirmed, in ms of the machine's clock
 */
export function faultsOf(
  running: boolean,
  status: WrittenStatus | null,
  nowMs: number,
  confirmedMs: number,
): string[] {
  if (!running) return ['the agent is not running: nothing of this device is watched'];
  if (status === null) return ['its status cannot be read'];
  const faults: string[] = [];
  const age = nowMs - confirmedMs;
  const staleMs = Math.min(STALE_MS, STALE_WRITES * (status.writtenEverySeconds ?? Infinity) * 1_000);
  if (age > staleMs)
    faults.push(`it wrote its status ${seconds(age)} ago: it hangs or is stopped, or its disk is full`);
  else if (age < -staleMs)
    faults.push(
      `it wrote its status ${seconds(-age)} from now: the clock was set back, and how old it is is not known`,
    );
  if (status.lastHeartbeatAt === null) faults.push('the server has not answered yet');
  else if (isLost(status))
    faults.push(`the server took no heartbeat since ${status.lastHeartbeatAt}: it shows the device as lost`);
  if (status.problem !== null) faults.push(status.problem);
  for (const line of status.notWatched ?? []) faults.push(`not watched by the same process: ${line}`);
  const unchecked = uncheckedFiles(status);
  if (unchecked.length > 0)
    faults.push(`${unchecked.length} of ${status.files.length} files are not checked`);
  const [first, ...others] = filesWithFaults(status);
  if (first !== undefined)
    faults.push(
      `archives of ${others.length + 1} files cannot be read and are not checked: ${first.path}: ${first.archives}`,
    );
  if (status.setAside > 0) faults.push(`the server refused ${status.setAside} reports for good`);
  if (status.brokenPromises > 0)
    faults.push(
      `the server cannot show ${status.brokenPromises} reports that it accepted: keep the folder "receipts", it holds the evidence`,
    );
  if (typeof status.receiptProblem === 'string') faults.push(`receipts: ${status.receiptProblem}`);
  if (typeof status.log?.problem === 'string')
    faults.push(`${status.log.problem}: keep the folder "log", it holds the evidence`);
  if (status.clockOffsetMs !== null && isClockOff(status.clockOffsetMs))
    faults.push(
      `the clock is ${seconds(status.clockOffsetMs)} from the server's: set up time synchronisation`,
    );
  return faults;
}

/** Whether so many heartbeats are missing that the server shows the device as lost. */
function isLost({ at, lastHeartbeatAt, heartbeatSeconds }: WrittenStatus): boolean {
  if (lastHeartbeatAt === null || heartbeatSeconds === undefined) return false;
  return Date.parse(at) - Date.parse(lastHeartbeatAt) > LOST_BEATS * heartbeatSeconds * 1_000;
}

/** Returns the status as text for the operator. */
export function statusText({ stateDir, running, status, confirmedAt, faults }: ReadStatus): string {
  const lines = [status === null ? stateDir : `device ${status.device} of ${status.organisation}`];
  const row = (name: string, value: string): void =>
    void lines.push(`  ${name.padEnd(16)}${escapeLines(value)}`);
  const well = faults.length === 0 ? 'running' : 'running, with faults';
  row('state', running === null ? 'NOT KNOWN' : running ? well : 'NOT RUNNING');
  for (const fault of faults) row('fault', fault);
  if (status !== null) {
    row(
      'as of',
      status.at === confirmedAt ? status.at : `${status.at}; until ${confirmedAt} only times changed`,
    );
    row('server', status.server);
    row('last heartbeat', status.lastHeartbeatAt ?? 'none since the start');
    row(
      'waiting',
      `${status.waiting} reports${status.oldestUnsent === null ? '' : `, oldest of ${status.oldestUnsent}`}`,
    );
    row(
      'clock',
      status.clockOffsetMs === null
        ? 'not compared yet'
        : `${seconds(status.clockOffsetMs)} from the server's`,
    );
    for (const file of status.files)
      row(
        'file',
        `${file.path}  ${file.type}  ${howLooked(file)}  ${file.problem ?? file.checkedAt ?? 'not looked at yet'}`,
      );
  }
  return `${lines.join('\n')}\n`;
}

function howLooked({ everySeconds, events, polling }: FileStatus): string {
  const every = `every ${everySeconds} s`;
  if (polling !== null) return `${every}, without events (${polling})`;
  return events ? `by events, and ${every}` : every;
}

const seconds = (ms: number): string => `${(ms / 1_000).toFixed(1)} s`;
