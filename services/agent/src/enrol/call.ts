import { setTimeout as delay } from 'node:timers/promises';
import { EnrolledSchema, type Enrol, type Enrolled } from '@sentinel-node/contracts';
import { compiled } from '../compiled.ts';
import { AgentConfigError } from '../config-error.ts';
import { backOffMs } from '../domain/back-off.ts';
import { answerOf, reasonOf, retryAfterOf, textOf, type Answer } from '../net/server.ts';

const REQUEST_MS = 30_000;
/** Agents of one image start together and must not retry together. */
const BACK_OFF = { firstMs: 1_000, longestMs: 30_000, spread: 0.5 };

const enrolled = compiled(EnrolledSchema);

export interface EnrolCall {
  /** The server's address, with or without /api/v1. */
  readonly server: string;
  readonly request: Enrol;
  readonly fetch: typeof fetch;
  /** Deadline for a server that does not answer, in ms of `performance.now()`. */
  readonly until: number;
  /** Receives the reason before a call is repeated. */
  readonly onWait: (line: string) => void;
}

/**
 * Enrols the device; repeats the call with the same key while the server is unreachable or busy.
 * @throws AgentConfigError the server refuses, or did not answer in time
 */
export async function enrolAt(call: EnrolCall): Promise<Enrolled> {
  for (let failures = 1; ; failures += 1) {
    const answer = await ask(call);
    if (answer.kind === 'ok') return answer.value;
    const isAgain = answer.kind === 'unreachable' || answer.code === 'CONFLICT';
    const reason = answer.kind === 'refused' ? refusal(answer) : answer.detail;
    if (!isAgain) throw new AgentConfigError(`the server refuses: ${reason}`);
    const inMs = backOffMs(BACK_OFF, failures, Math.random(), retryAfterOf(answer));
    if (performance.now() + inMs > call.until)
      throw new AgentConfigError(`${call.server} did not answer in time: ${reason}; start it again`);
    call.onWait(`${reason}; once more in ${Math.ceil(inMs / 1_000)} s`);
    await delay(inMs);
  }
}

/** Returns the URL of the enrol route, from `https://host` or `https://host/api/v1/`. @throws AgentConfigError */
export function enrolAddress(server: string): string {
  if (!URL.canParse(server) || !/^https?:\/\//i.test(server))
    throw new AgentConfigError(`--server ${server} is no address: give https://HOST`);
  const { username, password } = new URL(server);
  if (username !== '' || password !== '')
    throw new AgentConfigError('--server holds a name or a password, which is not taken: give https://HOST');
  return `${server.replace(/\/+$/, '').replace(/\/api\/v1$/, '')}/api/v1/enrol`;
}

async function ask({ server, request, fetch: fetchBy }: EnrolCall): Promise<Refusable> {
  const url = enrolAddress(server);
  try {
    const response = await fetchBy(url, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(request),
      redirect: 'error',
      signal: AbortSignal.timeout(REQUEST_MS),
    });
    const text = await textOf(response);
    const answer = answerOf(response, text);
    if (answer.kind === 'refused') return { ...answer, detail: detailIn(text) };
    if (answer.kind !== 'ok') return answer;
    const { body } = answer.value;
    if (enrolled().Check(body)) return { kind: 'ok', value: body };
    return { kind: 'unreachable', detail: 'unknown answer', retryAfterMs: undefined };
  } catch (error) {
    return { kind: 'unreachable', detail: reasonOf(error), retryAfterMs: undefined };
  }
}

type Refusable =
  | Exclude<Answer<Enrolled>, { kind: 'refused' }>
  | (Extract<Answer<never>, { kind: 'refused' }> & { readonly detail: string | undefined });

const refusal = ({ code, detail }: Extract<Refusable, { kind: 'refused' }>): string =>
  detail === undefined ? (ADVICE[code] ?? code) : `${code}: ${detail}`;

const ADVICE: Readonly<Record<string, string>> = {
  INVALID_ENROLMENT_TOKEN:
    'INVALID_ENROLMENT_TOKEN: the token is not one of this server; look whether all of it was copied',
};

/** Returns the detail of a problem details body (RFC 9457), if any. */
function detailIn(text: string): string | undefined {
  try {
    const problem: unknown = JSON.parse(text);
    const isOne = typeof problem === 'object' && problem !== null && 'detail' in problem;
    return isOne && typeof problem.detail === 'string' ? problem.detail : undefined;
  } catch {
    return undefined;
  }
}
