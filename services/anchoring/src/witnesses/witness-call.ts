/** Makes one call of `add-checkpoint` (C2SP tlog-witness). */
import {
  ADD_CHECKPOINT_PATH,
  encodeAddCheckpoint,
  parseTreeSize,
  type AddCheckpoint,
} from '@sentinel-node/contracts';
import { abortedAfter } from '@sentinel-node/contracts/deadline';
import { fetchFailure, readLimited } from '@sentinel-node/platform';
import { ANCHORING_LIMITS } from '../limits.ts';

/**
 * `SIGNED`: signature lines, not checked yet. `SIZE`: the size that the witness cosigned last, by its answer.
 * `REFUSED`: another answer, which the same offer would get again. `AWAY`: no answer, or a request to try later.
 */
export type WitnessAnswer =
  | { readonly kind: 'SIGNED'; readonly lines: string }
  | { readonly kind: 'SIZE'; readonly size: number }
  | { readonly kind: 'REFUSED' | 'AWAY'; readonly why: string };

const OK = 200;
const CONFLICT = 409;
const TOO_MANY = 429;

/**
 * Calls the witness. Never throws for a witness's behaviour. @param url submission prefix
 * @param signal ends the call early
 */
export async function callWitness(
  url: string,
  offer: AddCheckpoint,
  signal: AbortSignal,
  timeoutMs: number = ANCHORING_LIMITS.witnessAnswerMs,
): Promise<WitnessAnswer> {
  try {
    const answer = await fetch(`${url}${ADD_CHECKPOINT_PATH}`, {
      method: 'POST',
      body: encodeAddCheckpoint(offer),
      headers: { 'content-type': 'text/plain; charset=utf-8' },
      redirect: 'error',
      signal: abortedAfter(timeoutMs, signal),
    });
    const bytes = await readLimited(answer, ANCHORING_LIMITS.witnessAnswerBytes);
    return understood(answer.status, bytes && Buffer.from(bytes).toString('utf8'));
  } catch (error) {
    return { kind: 'AWAY', why: fetchFailure(error) };
  }
}

function understood(status: number, text: string | undefined): WitnessAnswer {
  if (text === undefined)
    return { kind: 'REFUSED', why: `an answer above ${ANCHORING_LIMITS.witnessAnswerBytes} bytes` };
  if (status === OK) return { kind: 'SIGNED', lines: text };
  const size = status === CONFLICT ? parseTreeSize(text.replace(/\n$/, '')) : undefined;
  if (size !== undefined) return { kind: 'SIZE', size };
  const kind = status >= 500 || status === TOO_MANY ? 'AWAY' : 'REFUSED';
  return { kind, why: `status ${status}` };
}
