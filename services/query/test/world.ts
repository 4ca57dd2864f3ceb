/** The query service and ingestion over the embedded adapters, and people who use them over HTTP. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { EMBEDDED_TOPICS } from '@sentinel-node/platform';
import {
  createHttp,
  createMetrics,
  logKeyOf,
  openDataFolder,
  openEmbeddedDocumentStore,
  openEmbeddedEventLog,
  readConfig,
  silentLog,
  systemRandom,
  systemTimers,
  type Access,
  type DeviceLimit,
  type App,
  type DocumentStore,
  type EmbeddedEventLogOptions,
  type EventLog,
} from '@sentinel-node/platform';
import { ManualClock } from '@sentinel-node/test-kit/fakes';
import { GROUPS, TOPICS } from '@sentinel-node/contracts';
import { createIngestion } from '@sentinel-node/ingestion';
import type { FastifyInstance } from 'fastify';
import type { Test } from 'tap';
import type { TSchema } from 'typebox';
import { createQuery, type QueryDeps, type QueryService } from '../src/index.ts';
import { MAIL_LIMITS } from '../src/mail/outbox.ts';
import { NOTIFICATION_LIMITS } from '../src/notifications/limits.ts';
import { NOTICE_MARKERS_COLLECTION } from '../src/notifications/markers.ts';
import { VIEW_SOURCES } from '../src/views/index.ts';

export const MASTER_SECRET = 'a secret of the tests, long enough for it';

export interface Answer {
  readonly status: number;
  // oxlint-disable-next-line typescript/no-explicit-any -- a test reads whatever an answer holds
  readonly body: any;
  readonly headers: Readonly<Record<string, unknown>>;
}

/** A route of the process, as Fastify knows it. */
export interface KnownRoute {
  readonly method: string;
  readonly url: string;
  readonly access: Access | undefined;
  readonly deviceLimit: DeviceLimit | undefined;
  readonly schema:
    | { readonly body?: TSchema; readonly params?: TSchema; readonly querystring?: TSchema }
    | undefined;
}

export interface World {
  readonly app: App;
  readonly clock: ManualClock;
  readonly store: DocumentStore;
  readonly eventLog: EventLog;
  readonly query: QueryService;
  /** Resolves when live streams know all that was done: their followers of the log come behind the answers of calls. */
  heard(): Promise<void>;
  /** Every route that Fastify knows, in the order of registration, without HEAD. */
  readonly routes: readonly KnownRoute[];
  /** Calls without a token. */
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
  /** Signs in through the development wallet. */
  signIn(email: string, name?: string): Promise<Person>;
  /** Creates an organisation with one confirmed ADMIN. */
  organization(name: string, email: string): Promise<Person & { readonly orgId: string }>;
  /** Creates a confirmed user and signs the user in. */
  member(admin: Person & { orgId: string }, email: string, role: 'ADMIN' | 'REGULAR'): Promise<Member>;
  /** Returns the activation id of the newest mail to `email`. @param before an earlier id to ignore */
  activationOf(email: string, before?: string): Promise<string>;
}

export interface Person {
  readonly token: string;
  readonly xsrf: string;
  readonly session: {
    readonly userId: string;
    readonly orgId: string | null;
    readonly userRole: string | null;
  };
  call(method: string, path: string, body?: unknown, headers?: Record<string, string>): Promise<Answer>;
}
export type Founder = Person & { readonly orgId: string; readonly email: string };
export type Member = Person & { readonly orgId: string; readonly userId: string };

const START = Date.UTC(2026, 10, 21, 10);
const DEADLINE_MS = 60_000;
const POLL_MS = 10;
const ASKS_A_SECOND = 1_000 / POLL_MS;

export async function createWorld(
  t: Test,
  env: Readonly<Record<string, string>> = {},
  more: Partial<QueryDeps> = {},
  limits: EmbeddedEventLogOptions['limits'] = {},
): Promise<World> {
  // Files that run in one process share `testdir` of the outermost test.
  const folder = openDataFolder(mkdtempSync(join(tmpdir(), 'sentinel-world-')));
  const [eventLog, store] = await Promise.all([
    openEmbeddedEventLog({ folder, topics: EMBEDDED_TOPICS, limits }),
    openEmbeddedDocumentStore({ folder }),
  ]);
  const heard = watchFeed(eventLog);
  const clock = new ManualClock(START);
  const config = readConfig({ SENTINEL_LIMIT_USER_CALLS: '100000', ...env });
  const log = silentLog();
  const metrics = createMetrics('query', { processMetrics: false });
  const deps = { config, log, metrics, clock, random: systemRandom, timers: systemTimers, eventLog, store };
  const query = createQuery({ ...deps, secrets: { masterSecret: MASTER_SECRET }, ...more });
  const http = await createHttp({ config, log, metrics });
  const routes = watchRoutes(http.app);
  const ingestion = createIngestion({
    ...deps,
    secrets: { masterSecret: MASTER_SECRET },
    logKey: logKeyOf(MASTER_SECRET),
    memberAuth: query.memberAuth,
    elapsed: () => clock.now(),
  });
  await query.routes?.(http.app);
  await ingestion.routes?.(http.app);
  http.setFallback(query.fallback);
  await http.app.ready();
  await query.start();
  await ingestion.start();
  t.teardown(async () => {
    await http.stop();
    await ingestion.stop();
    await query.stop();
    await eventLog.close();
    await store.close();
    folder.release();
    rmSync(folder.path, { recursive: true });
  });
  const call = callOf(http.app);
  return { app: http.app, clock, store, eventLog, query, heard, routes, call, ...people(call, clock) };
}

/** Watches what followers of the feed are given. @returns `heard` of the world */
function watchFeed(eventLog: EventLog): World['heard'] {
  const given = new Map<number, number>();
  const tail = eventLog.tail.bind(eventLog);
  eventLog.tail = (topic, from, onBatch) =>
    tail(topic, from, (batch) => {
      onBatch(batch);
      if (topic === TOPICS.feed) given.set(batch.partition, batch.records.at(-1)!.offset + 1);
    });
  const bounds = eventLog.bounds.bind(eventLog);
  const isReached = async (topic: string, next: ReadonlyMap<number, number>): Promise<boolean> =>
    (await bounds(topic)).every(({ partition, end }) => (next.get(partition) ?? 0) >= end);
  return async () => {
    await eventually(async () => {
      for (const topic of VIEW_SOURCES.keys())
        if (!(await isReached(topic, await eventLog.committed(topic, GROUPS.projector)))) return undefined;
      return (await isReached(TOPICS.feed, given)) || undefined;
    });
  };
}

let founded = 0;

/** Founds an organisation for one test of a world that several share: to make a world takes several times as long. */
export async function foundOrganization(world: World): Promise<Founder> {
  const email = `ada.${++founded}@example.org`;
  return { ...(await world.organization(`Acme ${founded}`, email)), email };
}

/** Lets time pass while the process goes on to look for what is lost. */
export async function passLooking({ clock, store }: World, ms: number): Promise<void> {
  const { lookGapMs } = NOTIFICATION_LIMITS;
  for (let left = ms; left > 0; left -= lookGapMs / 2) {
    clock.advance(Math.min(left, lookGapMs / 2));
    await eventually(async () => {
      const looked = await store.get(NOTICE_MARKERS_COLLECTION.name, 'looked');
      return looked?.at === clock.now() || undefined;
    });
  }
}

export function callOf(app: App): World['call'] {
  return async (method, path, body, headers = {}) => {
    const url = /^\/(dev-|healthz|readyz|metrics|pages)/.test(path) ? path : `/api/v1${path}`;
    const answer = await app.inject({
      method: method as 'GET',
      url,
      headers: { host: 'localhost:8443', ...headers },
      ...(body === undefined ? {} : { payload: body as object }),
    });
    const isJson = String(answer.headers['content-type'] ?? '').includes('json');
    const parsed: unknown = isJson && answer.body !== '' ? answer.json() : answer.body;
    return { status: answer.statusCode, body: parsed, headers: answer.headers };
  };
}

function watchRoutes(app: App): KnownRoute[] {
  const routes: KnownRoute[] = [];
  (app as unknown as FastifyInstance).addHook('onRoute', ({ method, url, config, schema }) => {
    for (const one of [method].flat())
      if (one !== 'HEAD')
        routes.push({
          method: one,
          url,
          access: config?.access,
          deviceLimit: config?.deviceLimit,
          schema: schema as never,
        });
  });
  return routes;
}

function people(
  call: World['call'],
  clock: ManualClock,
): Pick<World, 'signIn' | 'organization' | 'member' | 'activationOf'> {
  const signIn: World['signIn'] = async (email, name = email) => {
    const { body: wallet } = await call('POST', '/dev-wallet/login', { email, name });
    return personOf(call, await call('GET', `/login?access_token=${wallet.access_token}`));
  };
  const activationOf: World['activationOf'] = (email, before) =>
    eventuallyMailed(clock, async () => {
      const { body } = await call('GET', '/dev-mail/messages');
      const mail = body.find(({ to }: { to: string }) => to === email);
      const activation = mail?.links[0]?.split('/').at(-1) as string | undefined;
      return activation !== before ? activation : undefined;
    });
  const confirm = async (email: string): Promise<void> => {
    await call('PUT', `/users/confirm/link/${await activationOf(email)}`);
  };
  return {
    signIn,
    activationOf,
    organization: async (name, email) => {
      // Ids order the lists and differ by milliseconds.
      clock.advance(1);
      const founder = await signIn(email);
      const request = { name, userName: email, e2Id: founder.session.userId, emailAddress: email };
      const { body } = await founder.call('POST', '/orgs', request);
      await confirm(email);
      return { ...founder, orgId: body.id };
    },
    member: async (admin, email, role) => {
      clock.advance(1);
      const request = { name: email, email, type: role, orgId: admin.orgId };
      const { body } = await admin.call('POST', `/users/${admin.orgId}`, request);
      await confirm(email);
      return { ...(await signIn(email)), orgId: admin.orgId, userId: body.id };
    },
  };
}

export function personOf(call: World['call'], login: Answer): Person {
  const { token } = login.body;
  const xsrf = /XSRF-TOKEN=([^;]+)/.exec(String(login.headers['set-cookie']))?.[1] ?? '';
  return {
    token,
    xsrf,
    session: login.body,
    call: (method, path, body, headers = {}) =>
      call(method, path, body, { 'x-access-token': token, 'x-xsrf-token': xsrf, ...headers }),
  };
}

/**
 * Repeats `ask` until it has an answer.
 * @param deadlineMs ends a wait for what never comes; a busy machine may take long
 * @throws Error after `deadlineMs` without an answer
 */
export async function eventually<T>(ask: () => Promise<T | undefined>, deadlineMs = DEADLINE_MS): Promise<T> {
  const end = Date.now() + deadlineMs;
  for (;;) {
    const answer = await ask();
    if (answer !== undefined) return answer;
    if (Date.now() > end) throw new Error('it did not come in time');
    await new Promise((resolve) => setTimeout(resolve, POLL_MS));
  }
}

/**
 * As `eventually`, for what an activation mail brings. A sweep of the outbox between the mail and its commit delays the mail,
 * and the clock of a test stands still: the time until the next sweep passes after each second of asking.
 */
export function eventuallyMailed<T>(clock: ManualClock, ask: () => Promise<T | undefined>): Promise<T> {
  let asked = 0;
  return eventually(async () => {
    const answer = await ask();
    if (answer === undefined && ++asked % ASKS_A_SECOND === 0) clock.advance(MAIL_LIMITS.pollMs);
    return answer;
  });
}

/** Repeats a command on alerts, which stands, while the view does not show it in time; as a client does. */
export const untilShown = (send: () => Promise<Answer>): Promise<Answer> =>
  eventually(async () => {
    const answer = await send();
    return isShown(answer) ? answer : undefined;
  });

/** A command on several alerts has an answer for each. */
function isShown({ body }: Answer): boolean {
  const answers = [body, ...(body?.answers ?? [])];
  return !answers.some((answer) => answer?.code === 'UNAVAILABLE');
}

/** Limits that no test reaches, except tests of the limits. */
export const NO_LIMITS = {
  SENTINEL_LIMIT_LOGIN: '100000',
  SENTINEL_LIMIT_CONFIRM: '100000',
  SENTINEL_LIMIT_RESEND: '100000',
  SENTINEL_LIMIT_SHARE: '100000',
  SENTINEL_LIMIT_INVITATIONS: '100000',
  SENTINEL_LIMIT_ADDRESS_MAILS: '100000',
} as const;

export const DEVICE = {
  name: 'Server 1',
  description: 'in the cellar',
  path: '/srv/app',
  healthInterval: 60,
  monitoring: true,
  category: 'STANDARD',
} as const;
export const FILE = {
  name: 'Log',
  description: '',
  path: 'logs/app.log',
  type: 'TEXT',
  monitoringFrequency: 'FOLLOW',
  rolled: false,
  modifiable: true,
  enabled: true,
} as const;

/** Returns a copy without a member. */
export function without<T extends object, K extends keyof T>(value: T, name: K): Omit<T, K> {
  const copy: Partial<T> = { ...value };
  delete copy[name];
  return copy as Omit<T, K>;
}
