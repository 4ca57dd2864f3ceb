/** One call of `add-checkpoint` (C2SP tlog-witness). */
import {
  ADD_CHECKPOINT_PATH,
  encodeAddCheckpoint,
  parseTreeSize,
  type AddCheckpoint,
} from '@sentinel-node/contracts';
import { ANCHORING_LIMITS } from '../limits.ts';

/**
 * `SIGNED`: signature lines, not looked at yet. `SIZE`: what the witness says it has cosigned last. `REFUSED`: another
 * answer, which the same offer would get again. `AWAY`: no answer, or one that says to come again.
 */
export type WitnessAnswer =
  | { readonly kind: 'SIGNED'; readonly lines: string }
  | { readonly kind: 'SIZE'; readonly size: number }
  | { readonly kind: 'REFUSED' | 'AWAY'; readonly why: string };

const OK = 200;
const CONFLICT = 409;
const TOO_MANY = 429;

/** @param url submission prefix @param signal ends the call early. Never throws for what a witness does */
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
      signal: AbortSignal.any([signal, AbortSignal.timeout(timeoutMs)]),
    });
    return understood(answer.status, await textOf(answer));
  } catch (error) {
    return { kind: 'AWAY', why: reasonOf(error) };
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

/** undefined when it is too long: what is left of it is not read. */
async function textOf(answer: Response): Promise<string | undefined> {
  const parts: Uint8Array[] = [];
  let length = 0;
  for await (const part of answer.body ?? []) {
    length += part.length;
    if (length > ANCHORING_LIMITS.witnessAnswerBytes) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts, length).toString('utf8');
}

/** Node's `fetch` hides why in the cause. */
function reasonOf(error: unknown): string {
  const cause = error instanceof Error ? (error.cause ?? error) : error;
  return cause instanceof Error ? cause.message : String(cause);
}
