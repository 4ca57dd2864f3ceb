import { promisify } from 'node:util';
import { gzip } from 'node:zlib';
import { abortedAfter } from '@sentinel-node/contracts/deadline';
import { codeOf, messageOf } from '@sentinel-node/contracts/thrown';
import {
  BulkAnswerSchema,
  HeartbeatAnswerSchema,
  ProofSchema,
  ReportAcceptedSchema,
  type AgentConfiguration,
  type BulkAnswer,
  type Heartbeat,
  type HeartbeatAnswer,
  type KeptReceipt,
  type Proof,
  type Report,
  type ReportAccepted,
} from '@sentinel-node/contracts';
import { compiled } from '../compiled.ts';
import { checkConfiguration } from '../config.ts';
import { parsedJson } from '../parsed-json.ts';
import { ConnectionError } from './connection-advice.ts';

/** Longest wait for an answer, in ms. */
const REQUEST_MS = 30_000;
/**
 * Longest Retry-After that is followed, in ms. The server asks for a minute at most; a proxy can ask for a day, in which nobody
 * would hear of the device, or for more than a timer can hold (2^31 ms), which would fire at once.
 */
const RETRY_AFTER_MAX_MS = 600_000;
/** Longest answer that is read, in MiB: several times that to the largest bulk body. A longer one would take all memory. */
const ANSWER_MAX_MIB = 64;
const NOT_OURS = 'not an answer of Sentinel Node: a proxy or a sign-in page answers';

/** Result of a call. `refused` has the problem's code and status; `unreachable` includes 408, 429 and 5xx. */
export type Answer<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string }
  | { readonly kind: 'unreachable'; readonly detail: string; readonly retryAfterMs: number | undefined };

/** Returns how long the server, or a proxy, asked not to be called again, in ms; undefined when it did not ask. */
export const retryAfterOf = (answer: Answer<unknown>): number | undefined =>
  answer.kind === 'unreachable' ? answer.retryAfterMs : undefined;

/** Least size of compressed bulk bodies, in bytes; the fast level leaves the processor to other work. */
const GZIP_FROM_BYTES = 2_048;
const GZIP = { level: 1 } as const;
const compress = promisify(gzip);
const NDJSON = 'application/x-ndjson';
/** Header of bulk calls: asks for a receipt of each accepted line. */
const WISHES = { prefer: 'receipt' };
/** Header of configuration calls: asks for members that older agents refuse. */
const KNOWS = { prefer: 'attributes' };

const bulkAnswer = compiled(BulkAnswerSchema);
const reportAccepted = compiled(ReportAcceptedSchema);
const heartbeatAnswer = compiled(HeartbeatAnswerSchema);
const proof = compiled(ProofSchema);

type Identity = Pick<AgentConfiguration, 'orgId' | 'devId' | 'apiKey' | 'sentinelAddress'>;

/** Makes the agent's calls (docs/protocol.md). Network and server failures are values, not exceptions. */
export class Server {
  #config: Identity;
  readonly #onDate: (serverMs: number) => void;
  readonly #fetch: typeof fetch;
  readonly #abort = new AbortController();
  /** Steady time in ms before which the server asked not to be called for the configuration. */
  #configurationFrom = 0;

  /**
   * @param onDate receives the `Date` of each answer that has the form of the server's, in ms; NaN without one. A proxy or a
   * sign-in page has a clock of its own.
   */
  constructor(
    config: Identity,
    onDate: (serverMs: number) => void = () => undefined,
    fetchBy: typeof fetch = fetch,
  ) {
    this.#config = config;
    this.#onDate = onDate;
    this.#fetch = fetchBy;
  }

  /** Sets the address and key of later calls. */
  use(config: Identity): void {
    this.#config = config;
  }

  get identity(): Identity {
    return this.#config;
  }

  /** Aborts running calls; later calls return `unreachable`. */
  close(): void {
    this.#abort.abort();
  }

  /** Sends lines of NDJSON, each a report with its fileId. */
  async bulk(lines: readonly string[]): Promise<Answer<BulkAnswer>> {
    const body = `${lines.join('\n')}\n`;
    const answer = await this.#call('POST', this.#own('files/bulk'), NDJSON, body, WISHES);
    const fits = (value: unknown): value is BulkAnswer =>
      bulkAnswer().Check(value) && accountsFor(value, lines.length);
    return this.#checked(answer, fits);
  }

  /** Sends one report. */
  async report(fileId: string, report: Report): Promise<Answer<ReportAccepted>> {
    const path = `${this.#own('files')}/${fileId}`;
    const answer = await this.#call('POST', path, 'application/json', JSON.stringify(report));
    const fits = (value: unknown): value is ReportAccepted =>
      reportAccepted().Check(value) && value.fileId === fileId && value.sequence === report.sequence;
    return this.#checked(answer, fits);
  }

  async heartbeat(heartbeat: Heartbeat): Promise<Answer<HeartbeatAnswer>> {
    const body = JSON.stringify(heartbeat);
    const answer = await this.#call('POST', this.#own('devices/health'), 'application/json', body);
    return this.#checked(answer, (value) => heartbeatAnswer().Check(value));
  }

  /** Fetches the proof for a receipt; `refused` with status 404 when the server has none. */
  async proofOfReceipt(receipt: KeptReceipt): Promise<Answer<Proof>> {
    const body = JSON.stringify(receipt);
    const answer = await this.#call('POST', 'proofs/receipt', 'application/json', body);
    return this.#checked(answer, (value) => proof().Check(value));
  }

  /** Whether no Retry-After of the last call for the configuration is left. */
  get mayAskConfiguration(): boolean {
    return performance.now() >= this.#configurationFrom;
  }

  /** Fetches the current configuration and its version (from the ETag). */
  async configuration(): Promise<Answer<{ configuration: AgentConfiguration; version: number | undefined }>> {
    const answer = await this.#call('GET', this.#own('devices/config'), undefined, undefined, KNOWS);
    this.#configurationFrom = performance.now() + (retryAfterOf(answer) ?? 0);
    if (answer.kind !== 'ok') return answer;
    try {
      const version = /"(\d+)"/.exec(answer.value.etag ?? '')?.[1];
      const configuration = checkConfiguration(answer.value.body, 'the answer of the server');
      const { orgId, devId } = this.#config;
      if (configuration.orgId !== orgId || configuration.devId !== devId)
        return unreachable('the configuration of another device: a cache on the way answers');
      this.#onDate(answer.value.dateMs);
      return {
        kind: 'ok',
        value: { configuration, version: version === undefined ? undefined : Number(version) },
      };
    } catch (error) {
      return unreachable(messageOf(error));
    }
  }

  #own(path: string): string {
    return `${path}/${this.#config.orgId}/${this.#config.devId}`;
  }

  /** @param path appended to the server's address */
  async #call(
    method: string,
    path: string,
    type?: string,
    body?: string,
    more: Readonly<Record<string, string>> = {},
  ): Promise<Answer<Received>> {
    const { sentinelAddress, apiKey } = this.#config;
    const packed = body !== undefined && body.length >= GZIP_FROM_BYTES && type === NDJSON;
    const headers = {
      'x-api-key': apiKey,
      ...more,
      ...(type === undefined ? {} : { 'content-type': type }),
      ...(packed ? { 'content-encoding': 'gzip' } : {}),
    };
    try {
      const payload = packed ? await compress(body, GZIP) : body;
      const url = `${sentinelAddress.replace(/\/$/, '')}/${path}`;
      const response = await this.#fetch(url, {
        method,
        headers,
        ...(payload === undefined ? {} : { body: payload }),
        redirect: 'error',
        signal: abortedAfter(REQUEST_MS, this.#abort.signal),
      });
      const text = await textOf(response);
      const answer = answerOf(response, text);
      if (answer.kind === 'refused' && codeOf(parsedJson(text)) !== undefined) this.#onDate(dateOf(response));
      return answer;
    } catch (error) {
      return unreachable(reasonOf(error));
    }
  }

  #checked<T>(answer: Answer<Received>, fits: (value: unknown) => value is T): Answer<T> {
    if (answer.kind !== 'ok') return answer;
    const { body, dateMs } = answer.value;
    if (!fits(body)) return unreachable('unknown answer');
    this.#onDate(dateMs);
    return { kind: 'ok', value: body };
  }
}

/** Returns whether the answer says of each line, once, that it is accepted or rejected. */
function accountsFor({ accepted, rejected }: BulkAnswer, lines: number): boolean {
  const named = new Set(rejected.map(({ line }) => line));
  const areSent = rejected.every(({ line }) => line >= 1 && line <= lines);
  return areSent && named.size === rejected.length && accepted + named.size === lines;
}

/** Returns the body of an answer. @throws ConnectionError it is too long */
export async function textOf(response: Response): Promise<string> {
  const parts: Uint8Array[] = [];
  let bytes = 0;
  for await (const part of response.body ?? []) {
    bytes += part.length;
    if (bytes > ANSWER_MAX_MIB * 1_048_576)
      throw new ConnectionError(`an answer of more than ${ANSWER_MAX_MIB} MiB, ${NOT_OURS}`);
    parts.push(part);
  }
  return new TextDecoder().decode(Buffer.concat(parts, bytes));
}

const dateOf = ({ headers }: Response): number => Date.parse(headers.get('date') ?? '');

/** Returns why a call without an answer failed. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return messageOf(error);
  if (error instanceof ConnectionError) return error.message;
  const { cause } = error;
  const code = codeOf(cause) ?? (cause instanceof Error ? cause.message : error.name);
  return REASONS[code] ?? code;
}

/** Words for codes and messages of undici and of `AbortSignal.timeout` that do not say what happened. */
const REASONS: Readonly<Record<string, string>> = {
  TimeoutError: `no answer within ${REQUEST_MS / 1_000} s`,
  UND_ERR_SOCKET: 'the connection was cut',
  'unexpected redirect':
    'a redirect, which is not followed: a proxy, a sign-in page or an old address answers',
};

/** An unchecked JSON answer. */
export interface Received {
  readonly body: unknown;
  readonly etag: string | null;
  /** `Date` in ms; NaN without one. */
  readonly dateMs: number;
}

/** Classifies a response. @param text its body */
export function answerOf(response: Response, text: string): Answer<Received> {
  const body = parsedJson(text);
  if (response.ok && body !== undefined)
    return { kind: 'ok', value: { body, etag: response.headers.get('etag'), dateMs: dateOf(response) } };
  const { status } = response;
  const code = codeOf(body);
  if (response.ok) return unreachable(`HTTP ${status}, ${NOT_OURS}`);
  if (status === 408 || status === 429 || status >= 500) {
    return unreachable(`HTTP ${status}`, retryAfterMs(response.headers));
  }
  return { kind: 'refused', status, code: code ?? `HTTP_${status}` };
}

/**
 * Returns Retry-After in ms (RFC 9110, 10.2.3): seconds, or a date relative to the answer's `Date`; `RETRY_AFTER_MAX_MS` at
 * most.
 */
export function retryAfterMs(headers: Headers): number | undefined {
  const told = headers.get('retry-after');
  if (told === null) return undefined;
  const ms = /^\d+$/.test(told)
    ? Number(told) * 1000
    : Date.parse(told) - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(ms) ? undefined : Math.min(RETRY_AFTER_MAX_MS, Math.max(0, ms));
}

function unreachable(detail: string, retryAfterMs?: number): Extract<Answer<never>, { kind: 'unreachable' }> {
  return { kind: 'unreachable', detail, retryAfterMs };
}
