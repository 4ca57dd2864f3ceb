import { readdirSync, readFileSync } from 'node:fs';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { extname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { VIEWS_FRAME, VIEWS_HEADERS, type Session, type ViewsWord } from '@sentinel-node/contracts';
import { makeWorld } from './world.ts';
import type { World } from './fixtures.ts';
import { ok, problem, routes, type MockAnswer, type MockRequest } from './mock-routes.ts';

/** Compiled, this file lies in web/dist-test/test. */
const DIST = fileURLToPath(new URL('../../dist', import.meta.url));
const API = '/api/v1';
export const TOKEN = 'mock-token';
const XSRF = 'mock-xsrf';
const types: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript',
  '.css': 'text/css',
  '.svg': 'image/svg+xml',
};
/** No inline script or style, nothing from elsewhere: the console must live with it. */
const POLICY =
  "default-src 'self'; base-uri 'none'; object-src 'none'; frame-ancestors 'none'; form-action 'self'";

export interface Mock {
  url: string;
  world: World;
  session: Session;
  /** Calls as they came, oldest first. */
  calls: (MockRequest & { headers: IncomingMessage['headers'] })[];
  /** Answers instead of the routes: `METHOD /path` as in mock-routes. */
  overrides: Map<string, (request: MockRequest) => MockAnswer>;
  config: Record<string, unknown>;
  /** GET /login answers `{success: false}` so many times. */
  loginFailures: number;
  /** False: the stream answers 503. */
  streaming: boolean;
  /**
   * What a stream that is resumed hears: that it missed nothing, that it must read again, or nothing yet, as from a server
   * that still reads what was missed.
   */
  resumed: 'nothing-missed' | 'resync' | 'silence';
  /** The token is not accepted any more. */
  revoked: boolean;
  /** What answers say of the age of the views; null: nothing, as an older server. */
  views: ViewsWord | null;
  /** Time of the server's clock, in ms since 1970; null: this machine's. */
  now: number | null;
  /** Makes everything as new: the next screen knows nothing of the last one. */
  reset: () => void;
  /** Sends a frame to each page that follows the stream. @throws Error when none does: the frame would be lost */
  send: (event: string, data: object) => void;
  dropStreams: () => void;
  close: () => Promise<void>;
}

/** A server with the console and an API made of fixtures; nothing is stored beyond it. */
export async function startMock(world: World = makeWorld()): Promise<Mock> {
  const streams = new Set<ServerResponse>();
  let lastId = 0;
  const mock = {
    ...beginning(world),
    reset: () => void Object.assign(mock, beginning(makeWorld())),
    send: (event, data) => {
      if (streams.size === 0) throw new Error('no page follows the stream yet: wait until it is live');
      lastId += 1;
      const id = event === VIEWS_FRAME ? '' : `id: e-${lastId}\n`;
      for (const stream of streams) stream.write(`event: ${event}\n${id}data: ${JSON.stringify(data)}\n\n`);
    },
    dropStreams: () => streams.forEach((stream) => stream.destroy()),
  } as Omit<Mock, 'url' | 'close'> as Mock;
  const server = createServer((request, response) => {
    handle(mock, streams, request, response).catch(() => response.destroy());
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  mock.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  mock.close = () =>
    new Promise((resolve) => {
      mock.dropStreams();
      server.close(() => resolve());
      server.closeAllConnections();
    });
  return mock;
}

/** What the mock is made with; tests change it. */
function beginning(world: World): Omit<Mock, 'url' | 'reset' | 'send' | 'dropStreams' | 'close'> {
  return {
    world,
    session: {
      success: true,
      name: 'Ada Okafor',
      email: 'ada@example.org',
      userRole: 'ADMIN',
      orgId: world.orgId,
      userId: world.users[0]?.id ?? '',
    },
    calls: [],
    overrides: new Map(),
    config: {
      walletUrl: '/dev-wallet',
      apiBase: API,
      explorerUrl: null,
      developmentParts: ['wallet', 'mail', 'ledger'],
    },
    loginFailures: 0,
    streaming: true,
    resumed: 'nothing-missed',
    revoked: false,
    views: null,
    now: null,
  };
}

async function handle(
  mock: Mock,
  streams: Set<ServerResponse>,
  request: IncomingMessage,
  response: ServerResponse,
) {
  const url = new URL(request.url ?? '/', mock.url);
  if (url.pathname === '/console-config.json')
    return json(response, mock.config['missing'] ? problem('NOT_FOUND') : ok(mock.config));
  if (url.pathname === '/dev-wallet') return wallet(url, response);
  if (!url.pathname.startsWith(`${API}/`)) return serveFile(url.pathname, response);
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const text = Buffer.concat(chunks).toString();
  const call = {
    method: request.method ?? 'GET',
    path: url.pathname.slice(API.length),
    query: url.searchParams,
    body: (text === '' ? {} : JSON.parse(text)) as Record<string, unknown>,
    ifMatch: request.headers['if-match'],
  };
  mock.calls.push({ ...call, headers: request.headers });
  if (mock.now !== null) response.setHeader('date', new Date(mock.now).toUTCString());
  if (mock.views !== null) {
    response.setHeader(VIEWS_HEADERS.state, mock.views.state);
    if (mock.views.asOf !== null) response.setHeader(VIEWS_HEADERS.asOf, mock.views.asOf);
  }
  if (call.path.startsWith('/stream/') && mock.streaming && !mock.revoked)
    return stream(mock, streams, request, response);
  if (givesCookie(call)) response.setHeader('set-cookie', `XSRF-TOKEN=${XSRF}; Path=/; SameSite=Strict`);
  json(response, answer(mock, call, request.headers));
}

/** Signing in and restoring a session, as the server does it. */
const givesCookie = ({ method, path }: MockRequest): boolean =>
  method === 'GET' && (path === '/login' || path === '/session');

function answer(mock: Mock, call: MockRequest, headers: IncomingMessage['headers']): MockAnswer {
  if (call.path === '/login') return login(mock);
  const publicCall = call.path.startsWith('/alerts/link/') || call.path.startsWith('/users/confirm/');
  if (!publicCall && (headers['x-access-token'] !== TOKEN || mock.revoked)) return problem('UNAUTHENTICATED');
  if (!publicCall && call.method !== 'GET' && headers['x-xsrf-token'] !== XSRF) return problem('XSRF');
  if (call.path.startsWith('/stream/')) return problem('UNAVAILABLE');
  if (call.path === '/session') return ok(mock.session);
  const parts = `${call.method} ${call.path}`.split('/');
  const matching = Object.keys(routes)
    .filter((route) => matches(route.split('/'), parts))
    .sort((a, b) => a.split('*').length - b.split('*').length)[0];
  if (matching === undefined) return problem('NOT_FOUND');
  const override = mock.overrides.get(matching);
  if (override) return override(call);
  const names = matching.split('/');
  const ids = parts.filter((_, index) => names[index] === '*');
  return routes[matching]?.(mock.world, call, ids) ?? problem('NOT_FOUND');
}

const matches = (route: string[], parts: string[]): boolean =>
  route.length === parts.length && route.every((name, index) => name === '*' || name === parts[index]);

function login(mock: Mock): MockAnswer {
  if (mock.loginFailures > 0) {
    mock.loginFailures -= 1;
    return ok({ success: false });
  }
  return ok({ ...mock.session, token: TOKEN });
}

function wallet(url: URL, response: ServerResponse): void {
  const back = new URL(url.searchParams.get('redirect') ?? '/', url);
  back.searchParams.set('access_token', 'wallet-access-token');
  response.writeHead(302, { location: back.href }).end();
}

const FRAME_OF_ALL = 'id: e-0\ndata: {}\n\n';
const RESUMED = { 'nothing-missed': ':\n\n', resync: `event: resync\n${FRAME_OF_ALL}`, silence: '' };

function stream(
  mock: Mock,
  streams: Set<ServerResponse>,
  request: IncomingMessage,
  response: ServerResponse,
): void {
  response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' });
  response.flushHeaders();
  streams.add(response);
  response.on('close', () => streams.delete(response));
  const isResumed = request.headers['last-event-id'] !== undefined;
  response.write(isResumed ? RESUMED[mock.resumed] : `event: ready\n${FRAME_OF_ALL}`);
}

function json(
  response: ServerResponse,
  { status, body, type = 'application/json', headers }: MockAnswer,
): void {
  response.writeHead(status, { 'content-type': type, ...headers });
  response.end(type === 'text/csv' ? String(body) : JSON.stringify(body));
}

/** Vite puts files here under names that contain the hash of their content. */
const HASHED_FOLDER = '/assets/';

/** The built console, read once: a build that runs beside a test does not disturb it. */
const built = new Map(
  readdirSync(DIST, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((path) => [`/${relative(DIST, path)}`, readFileSync(path)]),
);

function serveFile(path: string, response: ServerResponse): void {
  const name = extname(path) === '' ? '/index.html' : path;
  const content = built.get(name);
  if (content === undefined) return void response.writeHead(404).end();
  const headers = {
    'content-type': types[extname(name)] ?? 'application/octet-stream',
    'content-security-policy': POLICY,
    // As the server says: a browser that has a file, and the code that it compiled of it, reads it once.
    'cache-control': name.startsWith(HASHED_FOLDER) ? 'public, max-age=31536000, immutable' : 'no-cache',
  };
  response.writeHead(200, headers).end(content);
}
