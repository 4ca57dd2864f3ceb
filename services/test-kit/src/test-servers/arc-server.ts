/** An ARC service in front of another ledger, with faults on request: for tests of its clients. */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TSchema } from 'typebox';
import { Check } from 'typebox/value';
import type { Ledger, LedgerAnswer } from '@sentinel-node/platform';
import { ArcPolicySchema, ArcProblemSchema, ArcStateSchema, ArcSubmittedSchema } from './arc-schemas.ts';
import type { ArcState } from './arc-schemas.ts';

/** Fault that replaces the right answer or delays it. */
export type ArcFault =
  | { readonly kind: 'delay'; readonly until: Promise<unknown> }
  | { readonly kind: 'hang' }
  | { readonly kind: 'cut' }
  | {
      readonly kind: 'code';
      readonly code: number;
      readonly body?: unknown;
      readonly headers?: Readonly<Record<string, string>>;
    }
  | { readonly kind: 'text'; readonly text: string }
  /** Valid JSON of this many bytes. */
  | { readonly kind: 'large'; readonly bytes: number }
  /** Members of a state that differ from the right one. */
  | { readonly kind: 'state'; readonly state: Readonly<Record<string, unknown>> };

export interface ArcRequest {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string | undefined>>;
}

export interface ArcServerOptions {
  readonly ledger: Pick<Ledger, 'submit' | 'status' | 'policy'>;
  /** Absent: no token is required. */
  readonly token?: string;
  /** `arcade`: routes are not under `/v1`, and an accepted transaction gets 202. */
  readonly api?: 'arc' | 'arcade';
}

/** ARC's number for each refusal of the development ledger. */
const REFUSALS: readonly [RegExp, number][] = [
  [/double spend/, 466],
  [/there is no output|another one than claimed|no inputs/, 462],
  [/fee of|pays \d+ satoshis/, 465],
  [/does not unlock/, 461],
  [/Extended Format/, 460],
];
const OTHER_REFUSAL = 463;
const CHUNK = 65_536;

export class ArcServer {
  /** Every call, the oldest first. */
  readonly requests: ArcRequest[] = [];
  /** Fault of all later answers; undefined without a fault. */
  fault: ArcFault | undefined;
  readonly #options: ArcServerOptions;
  readonly #server: Server;
  readonly #callbacks = new Map<string, { readonly url: string; readonly token: string | undefined }>();

  private constructor(options: ArcServerOptions) {
    this.#options = options;
    this.#server = createServer((request, response) => void this.#serve(request, response));
  }

  /** Listens on a free port of 127.0.0.1. */
  static async start(options: ArcServerOptions): Promise<ArcServer> {
    const server = new ArcServer(options);
    await new Promise<void>((resolve) => server.#server.listen(0, '127.0.0.1', resolve));
    return server;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  stop(): Promise<void> {
    this.#server.closeAllConnections();
    return new Promise((resolve) => this.#server.close(() => resolve()));
  }

  /**
   * Reports the present state of a transaction to the URL of its sender, `times` times; a test simulates a lost
   * report by not calling this. @returns codes of the answers
   */
  async callback(
    txid: string,
    { times = 1, token }: { times?: number; token?: string } = {},
  ): Promise<number[]> {
    const to = this.#callbacks.get(txid);
    const state = await this.#options.ledger.status(txid);
    if (to === undefined || state === undefined) throw new Error(`no callback is asked for ${txid}`);
    const body = JSON.stringify(checked(ArcStateSchema, stateOf(state)));
    const bearer = token ?? to.token;
    const codes: number[] = [];
    for (let left = times; left > 0; left--) {
      const answer = await fetch(to.url, {
        method: 'POST',
        headers: {
          'content-type': 'application/json; charset=UTF-8',
          ...(bearer !== undefined && { authorization: `Bearer ${bearer}` }),
        },
        body,
      });
      await answer.body?.cancel();
      codes.push(answer.status);
    }
    return codes;
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { method = '', url = '', headers } = request;
    this.requests.push({ method, path: url, headers: headers as ArcRequest['headers'] });
    const body = await textOf(request);
    if (await this.#applyFault(request, response)) return;
    const { token, api = 'arc' } = this.#options;
    if (token !== undefined && headers.authorization !== `Bearer ${token}`)
      return send(response, 401, { message: 'Unauthorized' });
    const path = api === 'arcade' ? url : url.replace(/^\/v1/, '');
    if (api === 'arc' && !url.startsWith('/v1/')) return send(response, 404, 'no such page');
    if (method === 'GET' && path === '/policy') return send(response, 200, await this.#policy());
    if (method === 'POST' && path === '/tx') return this.#submit(request, body, response);
    const asked = /^\/tx\/([0-9a-f]{64})$/.exec(path);
    if (method === 'GET' && asked !== null) return this.#state(asked[1]!, response);
    return send(response, 404, 'no such page');
  }

  /** Applies the fault. @returns true when the fault has answered, or when no answer will come */
  async #applyFault(request: IncomingMessage, response: ServerResponse): Promise<boolean> {
    const { fault } = this;
    switch (fault?.kind) {
      case 'delay':
        await fault.until;
        return false;
      case 'hang':
        return true;
      case 'cut':
        request.socket.destroy();
        return true;
      case 'code':
        send(response, fault.code, fault.body ?? problem(fault.code, 'a fault of the test'), fault.headers);
        return true;
      case 'text':
        response.writeHead(200, { 'content-type': 'application/json' }).end(fault.text);
        return true;
      case 'large':
        await sendLarge(response, fault.bytes);
        return true;
      default:
        return false;
    }
  }

  async #policy(): Promise<unknown> {
    return checked(ArcPolicySchema, {
      timestamp: new Date(0).toISOString(),
      policy: {
        maxscriptsizepolicy: 500_000,
        maxtxsigopscountspolicy: 4_294_967_295,
        maxtxsizepolicy: 10_000_000,
        miningFee: await this.#options.ledger.policy(),
        standardFormatSupported: true,
      },
    });
  }

  async #submit(request: IncomingMessage, body: string, response: ServerResponse): Promise<void> {
    const { rawTx } = JSON.parse(body) as { rawTx: string };
    const answer = await this.#options.ledger.submit(rawTx);
    if (answer.status === 'REJECTED' && this.fault?.kind !== 'state') {
      const detail = answer.detail ?? '';
      const code = REFUSALS.find(([words]) => words.test(detail))?.[1] ?? OTHER_REFUSAL;
      return send(response, code, checked(ArcProblemSchema, problem(code, detail, answer.txid)));
    }
    const { 'x-callbackurl': url, 'x-callbacktoken': token } = request.headers as Record<string, string>;
    if (url !== undefined) this.#callbacks.set(answer.txid, { url, token });
    const status = this.#options.api === 'arcade' ? 202 : 200;
    const submitted = checked(ArcSubmittedSchema, { ...stateOf(answer), status, title: 'OK' });
    send(response, status, { ...submitted, ...this.#otherState() });
  }

  async #state(txid: string, response: ServerResponse): Promise<void> {
    const answer = await this.#options.ledger.status(txid);
    if (answer === undefined && this.fault?.kind !== 'state')
      return send(response, 404, checked(ArcProblemSchema, problem(404, 'transaction not found')));
    const state = checked(ArcStateSchema, stateOf(answer ?? { txid, status: 'RECEIVED' }));
    send(response, 200, { ...state, ...this.#otherState() });
  }

  #otherState(): Readonly<Record<string, unknown>> {
    return this.fault?.kind === 'state' ? this.fault.state : {};
  }
}

function stateOf({ txid, status, blockHash, blockHeight, merklePath, detail }: LedgerAnswer): ArcState {
  return {
    timestamp: new Date(0).toISOString(),
    blockHash: blockHash ?? '',
    blockHeight: blockHeight ?? 0,
    txid,
    merklePath: merklePath ?? '',
    txStatus: status,
    extraInfo: detail ?? '',
    competingTxs: null,
  };
}

function problem(code: number, extraInfo: string, txid: string | null = null): object {
  return {
    type: `https://bitcoin-sv.github.io/arc/#/errors?id=_${code}`,
    title: `error ${code}`,
    status: code,
    detail: 'The request could not be processed',
    instance: null,
    txid,
    extraInfo,
  };
}

/** Checks the server's own answer against the OpenAPI document. */
function checked<T extends object>(schema: TSchema, answer: T): T {
  if (!Check(schema, answer)) throw new Error(`not an answer of ARC: ${JSON.stringify(answer)}`);
  return answer;
}

function send(
  response: ServerResponse,
  code: number,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): void {
  const isText = typeof body === 'string';
  response.writeHead(code, { 'content-type': isText ? 'text/html' : 'application/json', ...headers });
  response.end(isText ? body : JSON.stringify(body));
}

async function sendLarge(response: ServerResponse, bytes: number): Promise<void> {
  response.writeHead(200, { 'content-type': 'application/json' }).write('{"padding":"');
  const chunk = 'x'.repeat(CHUNK);
  for (let sent = 0; sent < bytes && !response.destroyed; sent += CHUNK)
    if (!response.write(chunk)) await roomIn(response);
  response.end('"}');
}

function roomIn(response: ServerResponse): Promise<void> {
  return new Promise((resolve) => {
    const done = (): void => {
      response.off('drain', done).off('close', done);
      resolve();
    };
    response.on('drain', done).on('close', done);
  });
}

async function textOf(request: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of request) parts.push(part as Buffer);
  return Buffer.concat(parts).toString();
}
