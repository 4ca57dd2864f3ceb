/** Child processes of a test. Their output is kept, and none outlives the test. */
import { spawn, type ChildProcess } from 'node:child_process';
import type { Test } from 'tap';

/** Most kept output of a child per stream, in characters. */
const OUTPUT_CHARACTERS = 1_000_000;

export interface Ended {
  readonly code: number | null;
  readonly signal: NodeJS.Signals | null;
}

export interface Child {
  readonly process: ChildProcess;
  readonly stdout: () => string;
  readonly stderr: () => string;
  readonly ended: Promise<Ended>;
  /** Returns the end; undefined while the process runs. */
  readonly end: () => Ended | undefined;
  /** Kills the process (kill -9) and waits for its end. */
  kill(): Promise<Ended>;
}

/** Returns a child's environment, without this process's settings of the system. */
function environment(extra: Readonly<Record<string, string>>): NodeJS.ProcessEnv {
  const { PATH = '', HOME = '', TMPDIR } = process.env;
  return { PATH, HOME, ...(TMPDIR === undefined ? {} : { TMPDIR }), ...extra };
}

/**
 * Starts a child in its own process group, so that `isGroupGone` sees remaining processes; a Ctrl-C does not
 * reach it.
 */
export const OWN_GROUP = { detached: true } as const;

/** Running children, to be killed at the exit, because an interrupted test runs no teardown. */
const running = new Set<ChildProcess>();
process.once('exit', () => running.forEach((child) => child.kill('SIGKILL')));

export function startChild(
  t: Test,
  args: readonly string[],
  env: Readonly<Record<string, string>>,
  options: { readonly detached?: boolean } = {},
): Child {
  const started = spawn(process.execPath, args, {
    env: environment(env),
    ...options,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  running.add(started);
  started.once('exit', () => running.delete(started));
  const output = { stdout: '', stderr: '' };
  for (const name of ['stdout', 'stderr'] as const) {
    started[name].setEncoding('utf8').on('data', (text: string) => {
      output[name] = (output[name] + text).slice(-OUTPUT_CHARACTERS);
    });
  }
  let end: Ended | undefined;
  const ended = new Promise<Ended>((resolve, reject) => {
    started.once('error', reject);
    started.once('close', (code, signal) => resolve((end = { code, signal })));
  });
  const kill = async (): Promise<Ended> => {
    if (end === undefined) started.kill('SIGKILL');
    return ended;
  };
  t.teardown(kill);
  return {
    process: started,
    stdout: () => output.stdout,
    stderr: () => output.stderr,
    ended,
    end: () => end,
    kill,
  };
}

/** Returns whether no process of the child's group is left. Requires `OWN_GROUP`. */
export function isGroupGone({ process: { pid = 0 } }: Child): boolean {
  try {
    process.kill(-pid, 0);
    return false;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ESRCH';
  }
}

/** Runs a command of Node to its end. */
export async function runChild(
  t: Test,
  args: readonly string[],
  env: Readonly<Record<string, string>> = {},
): Promise<{ code: number | null; stdout: string; stderr: string }> {
  const child = startChild(t, args, env);
  const { code } = await child.ended;
  return { code, stdout: child.stdout(), stderr: child.stderr() };
}
