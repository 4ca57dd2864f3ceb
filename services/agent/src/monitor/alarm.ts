/** Reports a problem to the operator's tools: a command and a webhook. */
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { messageOf } from '@sentinel-node/contracts/thrown';

/** Longest time of the command and of the call, in ms. */
const COMMAND_MS = 60_000;
const CALL_MS = 10_000;

export interface Problem {
  /** A result of a look, or UNREADABLE. */
  readonly result: string;
  readonly text: string;
  /** Name of the log in checkpoints. */
  readonly origin: string;
  /** Path of the evidence file; undefined without evidence. */
  readonly evidence: string | undefined;
  /** ISO 8601. */
  readonly at: string;
}

export interface Alarm {
  readonly command: string | undefined;
  readonly webhook: string | undefined;
  readonly fetch: typeof fetch;
}

/** Runs the command and calls the webhook. @returns one line per failure; empty when both succeeded */
export async function raise(
  problem: Problem,
  { command, webhook, fetch: fetchBy }: Alarm,
): Promise<string[]> {
  const told = await Promise.all([
    command === undefined ? undefined : runCommand(command, problem),
    webhook === undefined ? undefined : call(webhook, problem, fetchBy),
  ]);
  return told.filter((line) => line !== undefined);
}

/**
 * Runs the command in a shell. The problem is passed only in environment variables, so that no part of it is
 * executed.
 */
async function runCommand(command: string, problem: Problem): Promise<string | undefined> {
  const env = {
    ...process.env,
    SENTINEL_MONITOR_RESULT: problem.result,
    SENTINEL_MONITOR_TEXT: problem.text,
    SENTINEL_MONITOR_ORIGIN: problem.origin,
    SENTINEL_MONITOR_EVIDENCE: problem.evidence ?? '',
  };
  const child = spawn(command, { shell: true, env, stdio: ['ignore', 2, 2], timeout: COMMAND_MS });
  try {
    const [code, signal]: (number | string | null)[] = await once(child, 'exit');
    return code === 0 ? undefined : `the command ended with ${code ?? signal}`;
  } catch (error) {
    return `the command could not be run: ${messageOf(error)}`;
  }
}

async function call(url: string, problem: Problem, fetchBy: typeof fetch): Promise<string | undefined> {
  try {
    const answer = await fetchBy(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(problem),
      redirect: 'error',
      signal: AbortSignal.timeout(CALL_MS),
    });
    await answer.body?.cancel();
    return answer.ok ? undefined : `the webhook answers ${answer.status}`;
  } catch (error) {
    return `the webhook does not answer: ${messageOf(error)}`;
  }
}
