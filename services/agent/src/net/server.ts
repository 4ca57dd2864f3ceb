import {
  BulkAnswerSchema,
  HeartbeatAnswerSchema,
  type AgentConfiguration,
  type BulkAnswer,
  type Heartbeat,
  type HeartbeatAnswer,
} from '@sentinel-node/contracts';
import { Compile } from 'typebox/compile';
import { checkConfiguration } from '../config.ts';

/** Longest wait for an answer, in ms. */
const REQUEST_MS = 30_000;

/** How a call ended. `refused` carries the problem's code and status; `unreachable` also stands for 408, 429 and 5xx. */
export type Answer<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string }
  | { readonly kind: 'unreachable'; readonly detail: string; readonly retryAfterMs: number | undefined };

const bulkAnswer = Compile(BulkAnswerSchema);
const heartbeatAnswer = Compile(HeartbeatAnswerSchema);

/** The agent's calls (docs/protocol.md). Never throws for what the network or the server does. */
export class Server {
  readonly #config: Pick<AgentConfiguration, 'orgId' | 'devId' | 'apiKey' | 'sentinelAddress'>;
  readonly #abort = new AbortController();

  constructor(config: Pick<AgentConfiguration, 'orgId' | 'devId' | 'apiKey' | 'sentinelAddress'>) {
    this.#config = config;
  }

  /** Ends calls under way; later ones answer `unreachable`. */
  close(): void {
    this.#abort.abort();
  }

  /** Lines of NDJSON, each a report with its fileId. */
  async bulk(lines: readonly string[]): Promise<Answer<BulkAnswer>> {
    const answer = await this.#call('POST', 'files/bulk', 'application/x-ndjson', `${lines.join('\n')}\n`);
    return checked(
      answer,
      (value) => bulkAnswer.Check(value),
      (value) => value as BulkAnswer,
    );
  }

  async heartbeat(heartbeat: Heartbeat): Promise<Answer<HeartbeatAnswer>> {
    const answer = await this.#call('POST', 'devices/health', 'application/json', JSON.stringify(heartbeat));
    return checked(
      answer,
      (value) => heartbeatAnswer.Check(value),
      (value) => value as HeartbeatAnswer,
    );
  }

  /** The configuration in force and its version (from the ETag). */
  async configuration(): Promise<Answer<{ configuration: AgentConfiguration; version: number | undefined }>> {
    const answer = await this.#call('GET', 'devices/config');
    if (answer.kind !== 'ok') return answer;
    try {
      const version = /"(\d+)"/.exec(answer.value.etag ?? '')?.[1];
      const configuration = checkConfiguration(answer.value.body, 'the answer of the server');
      return {
        kind: 'ok',
        value: { configuration, version: version === undefined ? undefined : Number(version) },
      };
    } catch (error) {
      return unreachable((error as Error).message);
    }
  }

  async #call(method: string, path: string, type?: string, body?: string): Promise<Answer<Received>> {
    const { sentinelAddress, orgId, devId, apiKey } = this.#config;
    const headers = { 'x-api-key': apiKey, ...(type === undefined ? {} : { 'content-type': type }) };
    try {
      const response = await fetch(`${sentinelAddress.replace(/\/$/, '')}/${path}/${orgId}/${devId}`, {
        method,
        headers,
        ...(body === undefined ? {} : { body }),
        redirect: 'error',
        signal: AbortSignal.any([this.#abort.signal, AbortSignal.timeout(REQUEST_MS)]),
      });
      const text = await response.text();
      return judge(response, text);
    } catch (error) {
      const cause = (error as Error).cause as NodeJS.ErrnoException | undefined;
      return unreachable(cause?.code ?? (error as Error).name);
    }
  }
}

interface Received {
  readonly body: unknown;
  readonly etag: string | null;
}

function judge(response: Response, text: string): Answer<Received> {
  const body = parsed(text);
  if (response.ok && body !== undefined)
    return { kind: 'ok', value: { body, etag: response.headers.get('etag') } };
  const { status } = response;
  const code = (body as { code?: unknown } | undefined)?.code;
  if (response.ok || status === 408 || status === 429 || status >= 500) {
    const seconds = Number(response.headers.get('retry-after') ?? Number.NaN);
    return unreachable(`HTTP ${status}`, Number.isFinite(seconds) ? seconds * 1000 : undefined);
  }
  return { kind: 'refused', status, code: typeof code === 'string' ? code : `HTTP_${status}` };
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // a proxy's page: no answer of this system
  }
}

function unreachable(detail: string, retryAfterMs?: number): Extract<Answer<never>, { kind: 'unreachable' }> {
  return { kind: 'unreachable', detail, retryAfterMs };
}

function checked<T>(
  answer: Answer<Received>,
  check: (value: unknown) => boolean,
  as: (value: unknown) => T,
): Answer<T> {
  if (answer.kind !== 'ok') return answer;
  return check(answer.value.body)
    ? { kind: 'ok', value: as(answer.value.body) }
    : unreachable('unknown answer');
}
