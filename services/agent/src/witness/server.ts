import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ADD_CHECKPOINT_PATH, MAX_ADD_CHECKPOINT_BYTES } from '@sentinel-node/contracts';
import type { Witness, WitnessAnswer } from './witness.ts';

const CONNECTIONS = 256;
/** Longest time for a request to arrive, in ms. */
const REQUEST_MS = 10_000;
const HEADER_BYTES = 8_192;
const TEXT = 'text/plain; charset=utf-8';
const CHECKPOINT_PATH = /^\/([0-9a-f]{64})\/checkpoint$/;

export interface Listening {
  readonly port: number;
  /** Answers running requests and accepts no new ones. */
  close(): Promise<void>;
}

/**
 * Starts the HTTP server. @param origins of the witnessed logs
 * @throws Error of node:net when the address cannot be used
 */
export async function listen(
  witness: Witness,
  { host, port }: { readonly host: string; readonly port: number },
  origins: readonly string[],
  onError: (error: unknown) => void,
): Promise<Listening> {
  const byHash = new Map(
    origins.map((origin) => [createHash('sha256').update(origin).digest('hex'), origin]),
  );
  const server = createServer(
    { requestTimeout: REQUEST_MS, headersTimeout: REQUEST_MS, maxHeaderSize: HEADER_BYTES },
    (request, response) => {
      answerOf(witness, byHash, request)
        .catch((error: unknown): WitnessAnswer => {
          onError(error);
          return { status: 500, body: 'the checkpoint could not be kept\n' };
        })
        .then((answer) => send(request, response, answer))
        .catch(onError);
    },
  );
  server.maxConnections = CONNECTIONS;
  server.listen(port, host);
  await once(server, 'listening');
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- it listens on a port
  return { port: (server.address() as AddressInfo).port, close: () => closed(server, witness) };
}

async function closed(server: Server, witness: Witness): Promise<void> {
  const ended = once(server, 'close');
  server.close();
  server.closeIdleConnections();
  await witness.idle();
  await ended;
}

async function answerOf(
  witness: Witness,
  byHash: ReadonlyMap<string, string>,
  request: IncomingMessage,
): Promise<WitnessAnswer> {
  const { method, url = '' } = request;
  const isRead = method === 'GET' || method === 'HEAD';
  if (url === ADD_CHECKPOINT_PATH) {
    if (method !== 'POST') return { status: 405, body: 'POST only\n' };
    const body = await bodyOf(request);
    return body === undefined ? { status: 413, body: 'the request is too long\n' } : witness.add(body);
  }
  const origin = byHash.get(CHECKPOINT_PATH.exec(url)?.[1] ?? '');
  const note = isRead && origin !== undefined ? witness.cosigned(origin) : undefined;
  return note === undefined ? { status: 404, body: 'not found\n' } : { status: 200, body: note };
}

/** Reads the body; undefined when it is too long, with the rest unread. */
async function bodyOf(request: IncomingMessage): Promise<string | undefined> {
  const parts: Buffer[] = [];
  let length = 0;
  for await (const part of request as AsyncIterable<Buffer>) {
    length += part.length;
    if (length > MAX_ADD_CHECKPOINT_BYTES) return undefined;
    parts.push(part);
  }
  return Buffer.concat(parts).toString('utf8');
}

function send(
  { method }: IncomingMessage,
  response: ServerResponse,
  { status, body, type }: WitnessAnswer,
): void {
  const headers: Record<string, string> = { 'content-type': type ?? TEXT, 'cache-control': 'no-store' };
  if (status === 405) headers['allow'] = 'POST';
  // Close the connection after a too long request, whose rest stays unread.
  if (status === 413) headers['connection'] = 'close';
  response.writeHead(status, headers).end(method === 'HEAD' ? undefined : body);
}
