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
import { Compile } from 'typebox/compile';
import { checkConfiguration } from '../config.ts';
import { ConnectionError } from './connection-advice.ts';

/** Longest wait for an answer, in ms. */
const REQUEST_MS = 30_000;

/** Result of a call. `refused` has the problem's code and status; `unreachable` includes 408, 429 and 5xx. */
export type Answer<T> =
  | { readonly kind: 'ok'; readonly value: T }
  | { readonly kind: 'refused'; readonly status: number; readonly code: string }
  | { readonly kind: 'unreachable'; readonly detail: string; readonly retryAfterMs: number | undefined };

/** Least size of compressed bulk bodies, in bytes; the fast level leaves the processor to other work. */
const GZIP_FROM_BYTES = 2_048;
const GZIP = { level: 1 } as const;
const compress = promisify(gzip);
const NDJSON = 'application/x-ndjson';
/** Header of bulk calls: asks for a receipt of each accepted line. */
const WISHES = { prefer: 'receipt' };
/** Header of configuration calls: asks for members that older agents refuse. */
const KNOWS = { prefer: 'attributes' };

const bulkAnswer = Compile(BulkAnswerSchema);
const reportAccepted = Compile(ReportAcceptedSchema);
const heartbeatAnswer = Compile(HeartbeatAnswerSchema);
const proof = Compile(ProofSchema);

type Identity = Pick<AgentConfiguration, 'orgId' | 'devId' | 'apiKey' | 'sentinelAddress'>;

/** Makes the agent's calls (docs/protocol.md). Network and server failures are values, not exceptions. */
export class Server {
  #config: Identity;
  readonly #onDate: (serverMs: number) => void;
  readonly #fetch: typeof fetch;
  readonly #abort = new AbortController();

  /** @param onDate receives the `Date` of every answer, in ms; NaN without one */
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
    return checked(answer, (value) => bulkAnswer.Check(value));
  }

  /** Sends one report. */
  async report(fileId: string, report: Report): Promise<Answer<ReportAccepted>> {
    const path = `${this.#own('files')}/${fileId}`;
    const answer = await this.#call('POST', path, 'application/json', JSON.stringify(report));
    return checked(answer, (value) => reportAccepted.Check(value));
  }

  async heartbeat(heartbeat: Heartbeat): Promise<Answer<HeartbeatAnswer>> {
    const body = JSON.stringify(heartbeat);
    const answer = await this.#call('POST', this.#own('devices/health'), 'application/json', body);
    return checked(answer, (value) => heartbeatAnswer.Check(value));
  }

  /** Fetches the proof for a receipt; `refused` with status 404 when the server has none. */
  async proofOfReceipt(receipt: KeptReceipt): Promise<Answer<Proof>> {
    const body = JSON.stringify(receipt);
    const answer = await this.#call('POST', 'proofs/receipt', 'application/json', body);
    return checked(answer, (value) => proof.Check(value));
  }

  /** Fetches the current configuration and its version (from the ETag). */
  async configuration(): Promise<Answer<{ configuration: AgentConfiguration; version: number | undefined }>> {
    const answer = await this.#call('GET', this.#own('devices/config'), undefined, undefined, KNOWS);
    if (answer.kind !== 'ok') return answer;
    try {
      const version = /"(\d+)"/.exec(answer.value.etag ?? '')?.[1];
      const configuration = checkConfiguration(answer.value.body, 'the answer of the server');
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
      const text = await response.text();
      this.#onDate(Date.parse(response.headers.get('date') ?? ''));
      return answerOf(response, text);
    } catch (error) {
      return unreachable(reasonOf(error));
    }
  }
}

/** Returns why a call without an answer failed. */
export function reasonOf(error: unknown): string {
  if (!(error instanceof Error)) return messageOf(error);
  return error instanceof ConnectionError ? error.message : (codeOf(error.cause) ?? error.name);
}

/** An unchecked JSON answer. */
export interface Received {
  readonly body: unknown;
  readonly etag: string | null;
}

/** Classifies a response. @param text its body */
export function answerOf(response: Response, text: string): Answer<Received> {
  const body = parsed(text);
  if (response.ok && body !== undefined)
    return { kind: 'ok', value: { body, etag: response.headers.get('etag') } };
  const { status } = response;
  const code = codeOf(body);
  if (response.ok || status === 408 || status === 429 || status >= 500) {
    return unreachable(`HTTP ${status}`, retryAfterMs(response.headers));
  }
  return { kind: 'refused', status, code: code ?? `HTTP_${status}` };
}

/** Returns Retry-After in ms (RFC 9110, 10.2.3): seconds, or a date relative to the server's `Date`. */
function retryAfterMs(headers: Headers): number | undefined {
  const told = headers.get('retry-after');
  if (told === null) return undefined;
  if (/^\d+$/.test(told)) return Number(told) * 1000;
  const ms = Date.parse(told) - Date.parse(headers.get('date') ?? '');
  return Number.isFinite(ms) ? Math.max(0, ms) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined; // for example a proxy's HTML page
  }
}

function unreachable(detail: string, retryAfterMs?: number): Extract<Answer<never>, { kind: 'unreachable' }> {
  return { kind: 'unreachable', detail, retryAfterMs };
}

function checked<T>(answer: Answer<Received>, fits: (value: unknown) => value is T): Answer<T> {
  if (answer.kind !== 'ok') return answer;
  const { body } = answer.value;
  return fits(body) ? { kind: 'ok', value: body } : unreachable('unknown answer');
}
