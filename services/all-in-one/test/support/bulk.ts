/** Sends reports in bulk as an agent does, and repeats what was not accepted. */
import { setTimeout as pause } from 'node:timers/promises';
import type { BulkAnswer } from '@sentinel-node/contracts';
import type { Answer } from './client.ts';
import type { Reporter } from './reporter.ts';
import { DEADLINE_MS, nextLook } from './until.ts';

/** Returns whether the protocol asks the agent to send the same lines again. */
const isTransient = (status: number): boolean => status === 408 || status === 429 || status >= 500;
const TRANSIENT_CODES = new Set(['RATE_LIMITED', 'OVERLOADED', 'NOT_DURABLE', 'UNAVAILABLE']);

/**
 * Sends lines until each is answered 202. @returns the number of attempts @throws Error for a lasting refusal
 */
export async function sendAll(
  agent: Reporter,
  lines: readonly string[],
  deadlineMs = DEADLINE_MS,
): Promise<{ attempts: number }> {
  const began = Date.now();
  let waiting = lines;
  let attempts = 0;
  while (waiting.length > 0) {
    if (Date.now() > began + deadlineMs) throw new Error(`${waiting.length} lines were not taken in time`);
    if (attempts > 0) await pause(nextLook(began));
    attempts += 1;
    const answer = await attempt(agent, waiting);
    if (answer === undefined || isTransient(answer.status)) continue;
    if (answer.status !== 202) throw new Error(`bulk: ${answer.status} ${JSON.stringify(answer.body)}`);
    const { rejected } = answer.body as BulkAnswer;
    const lasting = rejected.find(({ code }) => !TRANSIENT_CODES.has(code));
    if (lasting !== undefined) throw new Error(`bulk: ${JSON.stringify(lasting)}`);
    waiting = rejected.map(({ line }) => waiting[line - 1] ?? '');
  }
  return { attempts };
}

/** Sends the lines once; undefined without an answer. */
async function attempt(agent: Reporter, lines: readonly string[]): Promise<Answer | undefined> {
  try {
    const headers = { 'content-type': 'application/x-ndjson' };
    return await agent.post(`/files/bulk/${agent.path}`, `${lines.join('\n')}\n`, headers);
  } catch {
    return undefined;
  }
}
