import t from 'tap';
import { ERRORS, type ErrorCode } from '@sentinel-node/contracts';
import { ConflictError, NotDurableError, OverloadedError } from '@sentinel-node/platform';
import type { FileHistory } from './chain-records.ts';
import { enrolment, report } from '../src/openapi/examples.ts';
import { createScene, type Scene } from './scene.ts';
import { verifyClaimsOf } from './small-verifier.ts';
import { createWorld, DEVICE, NO_LIMITS, type Answer, type World } from './world.ts';

/**
 * 408 is for bodies that come too slowly over a socket: `http-timeouts.test` of platform, `wire.test` of ingestion. What Node itself does
 * not read is in `http-errors.test` of platform.
 */
const ELSEWHERE: readonly ErrorCode[] = ['REQUEST_TIMEOUT', 'MALFORMED_REQUEST', 'HEADERS_TOO_LARGE'];

t.test(
  'every code of the catalogue is answered somewhere, with its status, and shows nothing internal',
  async (t) => {
    const world = await createWorld(t, { ...NO_LIMITS, SENTINEL_LIMIT_RESEND: '1' });
    const histories = new Map<string, FileHistory>();
    const verifying = new Map<string, FileHistory>();
    await verifyClaimsOf(t, world.eventLog, verifying);
    const scene = await createScene(world, histories);
    const calls = {
      ...(await peoplesCalls(world, scene)),
      ...alertCalls(scene, verifying),
      ...agentCalls(world, scene),
      ...brokenCalls(world, scene),
    };
    const seen = new Set<string>(ELSEWHERE);
    for (const [code, call] of Object.entries(calls)) {
      const { status, body, headers } = await call();
      t.equal(body.code, code, `${code}: ${JSON.stringify(body)}`);
      t.equal(status, ERRORS[code as ErrorCode].status, `${code}: status`);
      t.equal(body.title, ERRORS[code as ErrorCode].title);
      t.notMatch(JSON.stringify(body), /at \w+ \(|password|\/var\//, `${code}: nothing internal`);
      if (status === 429 || status === 503)
        t.match(headers['retry-after'], /^\d+$|^[1-9]/, `${code}: Retry-After`);
      seen.add(code);
    }
    t.strictSame([...seen].sort(), Object.keys(ERRORS).sort(), 'none is left out');
  },
);

type Calls = Partial<Record<ErrorCode, () => Promise<Answer>>>;

async function peoplesCalls(world: World, { admin, regular, orgId, deviceId, email }: Scene): Promise<Calls> {
  const founder = await world.signIn(email('fay'));
  const name = (await admin.call('GET', `/orgs/${orgId}`)).body.name;
  const devices = `/devices/${orgId}`;
  const user = { name: 'X', email: email('bob'), type: 'REGULAR', orgId };
  const own = `/users/${orgId}/${(await admin.call('GET', '/session')).body.userId}`;
  const resend = `/users/resend/activationlink/${orgId}/${regular.userId}`;
  return {
    ORGANIZATION_ALREADY_EXISTS: () =>
      founder.call('POST', '/orgs', {
        name,
        userName: 'Fay',
        e2Id: founder.session.userId,
        emailAddress: email('fay'),
      }),
    UNAUTHENTICATED: () => world.call('GET', '/session'),
    INVALID_CREDENTIALS: () =>
      world.call('POST', '/e2walletlogin', {
        accessToken: 'x'.repeat(20),
        userId: 'u',
        email: email('x'),
        name: 'X',
        issuedAt: report.timestamp,
        audience: 'y',
        signature: 'ab',
      }),
    FORBIDDEN: () => regular.call('POST', '/testDB'),
    XSRF: () => admin.call('POST', '/testDB', undefined, { 'x-xsrf-token': '' }),
    NOT_FOUND: () => admin.call('GET', '/devices/another'),
    METHOD_NOT_ALLOWED: () => admin.call('PATCH' as 'PUT', devices),
    STALE: () =>
      admin.call('PUT', own, { name: 'A', emailAddress: email('ada'), role: 'ADMIN' }, { 'if-match': '"0"' }),
    DEVICE_HAS_FILES: () => admin.call('PUT', `/devices/delete/${orgId}/${deviceId}`, { forced: false }),
    LAST_ADMIN: () => admin.call('DELETE', own),
    USER_EXISTS: () => admin.call('POST', `/users/${orgId}`, user),
    USER_ACTIVE: () => admin.call('POST', resend),
    RATE_LIMITED: () => admin.call('POST', resend),
    LIMIT_REACHED: async () => {
      const put = (folder: string) =>
        admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, { files: manyFiles(folder) });
      await put('logs');
      return put('more');
    },
    PAYLOAD_TOO_LARGE: () => admin.call('POST', devices, { ...DEVICE, name: 'x'.repeat(2_000_000) }),
    UNSUPPORTED_MEDIA_TYPE: () => admin.call('POST', devices, '<a/>', { 'content-type': 'text/xml' }),
    HOST_NOT_ALLOWED: () => world.call('GET', '/test', undefined, { host: 'evil.example.org' }),
    VALIDATION_FAILED: () => admin.call('POST', devices, {}),
  };
}

/** Returns more files than half of those that one device has room for. */
function manyFiles(folder: string): object[] {
  const file = {
    type: 'TEXT',
    monitoringFrequency: 'FOLLOW',
    rolled: false,
    modifiable: true,
    enabled: true,
  };
  return Array.from({ length: 1_800 }, (_, n) => ({
    ...file,
    name: `file ${n}`,
    path: `${folder}/${n}.log`,
    description: 'd'.repeat(1_900),
  }));
}

function alertCalls(
  { admin, orgId, deviceId, fileId, alertId, history }: Scene,
  verifying: Map<string, FileHistory>,
): Calls {
  const path = `/alerts/turnoff/${orgId}/${deviceId}/${fileId}/${alertId}`;
  const dismiss = { note: 'expected', status: 'RESOLVED' };
  return {
    ALERT_CHANGED: () => admin.call('PUT', path, { ...dismiss, occurrences: 0 }),
    // No verifier handles claims of this file yet, so the view does not show the claim in time.
    UNAVAILABLE: () => admin.call('PUT', path, dismiss),
    ALERT_NOT_ACTIVE: () => {
      verifying.set(fileId, history);
      return admin.call('PUT', path, { ...dismiss, note: 'another' });
    },
  };
}

function agentCalls(world: World, { admin, orgId, deviceId, fileId, apiKey }: Scene): Calls {
  const path = `/files/${orgId}/${deviceId}/${fileId}`;
  const send = (more: object, key = apiKey): Promise<Answer> =>
    world.call('POST', path, { ...report, ...more }, { 'x-api-key': key });
  const enrol = (token: string): Promise<Answer> =>
    world.call('POST', '/enrol', { token, key: 'k'.repeat(32), name: 'web-1' });
  return {
    INVALID_API_KEY: () => send({}, 'sk1.wrong'),
    INVALID_ENROLMENT_TOKEN: () => enrol('enr1.wrong'),
    ENROLMENT_ENDED: async () => {
      const { name, template } = enrolment;
      const { body } = await admin.call('POST', `/enrolments/${orgId}`, { name, template });
      await admin.call('DELETE', `/enrolments/${orgId}/${body.id}`);
      return enrol(body.token);
    },
    SEQUENCE_AHEAD: () => send({ sequence: (world.clock.now() + 25 * 3_600_000) * 1_000 }),
    NOT_DURABLE: async () => {
      const { append } = world.eventLog;
      world.eventLog.append = () => Promise.reject(new NotDurableError('the disk at /var/lib is full'));
      const answer = await send({});
      world.eventLog.append = append;
      return answer;
    },
    MONITORING_DISABLED: async () => {
      const file = (await admin.call('GET', path)).body;
      await admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, {
        files: [{ ...file, enabled: false }],
      });
      return send({});
    },
  };
}

/** Calls with a store that fails in one way for one call. */
function brokenCalls(world: World, { admin, orgId, deviceId, alertId }: Scene): Calls {
  const failing = async (
    name: 'find' | 'insertUnique',
    error: Error,
    call: () => Promise<Answer>,
  ): Promise<Answer> => {
    const real = world.store[name];
    world.store[name] = (() => Promise.reject(error)) as never;
    const answer = await call();
    world.store[name] = real as never;
    return answer;
  };
  const share = (): Promise<Answer> =>
    admin.call('POST', `/alerts/share/${orgId}/${deviceId}/${alertId}`, {
      sharedEmailAddresses: ['e@example.com'],
    });
  const visitLater = async (): Promise<Answer> => {
    const earlier = [{ emailAddress: 'e@example.com', timestamp: '2000-01-01T00:00:00.000Z' }];
    const ended = { id: alertId, rev: 1, orgId, sharedData: earlier, changes: [] };
    await world.store.remove('alert_shares', [alertId]);
    await world.store.insertUnique('alert_shares', ended);
    return world.call('GET', `/alerts/link/shared/data/${alertId}`);
  };
  const list = (): Promise<Answer> => admin.call('GET', `/devices/${orgId}`);
  return {
    CONFLICT: () => failing('insertUnique', new ConflictError('another was first'), share),
    SHARE_ENDED: visitLater,
    INTERNAL: () => failing('find', new Error('cannot open /var/lib/store with password x'), list),
    OVERLOADED: () => failing('find', new OverloadedError('too much'), list),
  };
}
