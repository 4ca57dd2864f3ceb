/** The examples of the document as requests, with the things of a scene in the place of those that they speak of. */
import { developmentWallet } from '../src/development/wallet.ts';
import { unsubscribing, userRecipient } from '../src/notifications/settings.ts';
import { enrolment as exampleEnrolment, EXAMPLE, expected } from '../src/openapi/examples.ts';
import { CALLBACK_PATH } from '../src/signin/wallet-sign-in.ts';
import { systemRandom } from '@sentinel-node/platform';
import type { callsOf } from './openapi-document.ts';
import type { Scene } from './scene.ts';
import { MASTER_SECRET, type Answer, type World } from './world.ts';

export type Call = ReturnType<typeof callsOf>[number];

const FORM_TYPE = 'application/x-www-form-urlencoded';

export interface ExampleRequest {
  readonly method: string;
  /** With the query. */
  readonly path: string;
  readonly body: string | undefined;
  readonly headers: Readonly<Record<string, string>>;
  /** Sends it, or a variant of it, as somebody who may. */
  send(variant?: { path?: string; body?: unknown; headers?: Record<string, string> }): Promise<Answer>;
}

/** @param member who sends it where a member of the organisation may */
export async function exampleRequest(
  world: World,
  scene: Scene,
  { name, method, path, call }: Call,
  member: 'admin' | 'regular' = 'admin',
): Promise<ExampleRequest> {
  const own = await ownThings(world, scene, name);
  const real = (text: string): string =>
    [...own].reduce((done, [example, thing]) => done.replaceAll(example, thing), text);
  const query = new URLSearchParams();
  let url = path;
  for (const { name: parameter, in: place, example } of call.parameters ?? []) {
    if (example === undefined) continue;
    if (place === 'path') url = url.replace(`{${parameter}}`, String(example));
    if (place === 'query') query.set(parameter, String(example));
  }
  const [type, media] = Object.entries(call.requestBody?.content ?? {})[0] ?? [];
  if (name.startsWith('GET /alerts/link/shared/')) await share(scene);
  const { call: as, userId } = await callerOf(world, scene, name, call.security ?? [], scene[member]);
  const text = type === FORM_TYPE ? formOf(media?.example) : textOf(media?.example);
  const given =
    text === undefined
      ? undefined
      : real(name === 'POST /orgs' ? text.replace(EXAMPLE.userId, userId) : text);
  const made = madeBody(world, scene, name);
  const body = made === undefined ? given : JSON.stringify(made);
  const request = {
    method,
    path: real(query.size === 0 ? url : `${url}?${query}`),
    body,
    headers: type === undefined ? {} : { 'content-type': type },
  };
  return {
    ...request,
    send: (variant = {}) => {
      const { path: to, body: what, headers } = { ...request, ...variant };
      return as(method, to, what, { ...request.headers, ...headers });
    },
  };
}

const textOf = (example: unknown): string | undefined =>
  typeof example === 'string' ? example : JSON.stringify(example);
const formOf = (example: unknown): string =>
  new URLSearchParams(example as Record<string, string>).toString();

/** What nobody can make up: it is signed. */
function madeBody(world: World, scene: Scene, name: string): unknown {
  if (name === 'POST /e2walletlogin') return credentials(world);
  if (name === 'POST /proofs/receipt') return scene.receipt;
  return undefined;
}

async function callerOf(
  world: World,
  scene: Scene,
  name: string,
  security: readonly object[],
  member: Scene['admin'],
): Promise<{ call: World['call']; userId: string }> {
  if (security.some((one) => 'deviceKey' in one)) {
    const key = { 'x-api-key': scene.apiKey };
    return {
      call: (method, path, body, headers) => world.call(method, path, body, { ...key, ...headers }),
      userId: '',
    };
  }
  if (security.length === 0) return { call: world.call, userId: '' };
  const person = name === 'POST /orgs' ? await world.signIn(scene.email('carl')) : member;
  return { call: (...given) => person.call(...given), userId: person.session.userId };
}

async function ownThings(world: World, scene: Scene, name: string): Promise<Map<string, string>> {
  const { orgId, admin, regular, deviceId, fileId, linkId, alertId, eventId, email } = scene;
  const invited = name.includes('/users/confirm') || name.includes('/users/resend');
  const fresh = invited ? await invite(scene) : regular.userId;
  const things = new Map<string, string>([
    [EXAMPLE.orgId, orgId],
    [EXAMPLE.adminId, admin.session.userId],
    [EXAMPLE.deviceId, deviceId],
    [EXAMPLE.fileId, fileId],
    [EXAMPLE.alertId, alertId],
    [EXAMPLE.eventId, eventId],
    [EXAMPLE.linkId, linkId],
    ['Example works', `Works of ${email('carl')}`],
  ]);
  if (name !== 'POST /orgs') things.set(EXAMPLE.userId, fresh);
  for (const person of ['ada', 'bob', 'carl', 'dora']) things.set(`${person}@example.org`, email(person));
  if (name.includes('/enrol') && name !== 'POST /enrolments/:orgId') {
    const { id, token } = await enrolment(scene);
    things.set(EXAMPLE.enrolmentToken, token).set(EXAMPLE.enrolmentId, id);
  }
  if (name === 'DELETE /service-tokens/:orgId/:id')
    things.set(EXAMPLE.serviceTokenId, await serviceToken(scene));
  if (name.includes('/webhooks/') && name.includes(':id'))
    things.set(EXAMPLE.webhookId, await webhook(scene));
  if (name.endsWith('/notifications/rules/:orgId/:id'))
    things.set(EXAMPLE.notificationRuleId, await notificationRule(scene));
  if (name.includes('/unsubscribe/')) things.set(EXAMPLE.unsubscribeToken, unsubscribeToken(scene));
  if (name.includes('/maintenance/') && name.includes(':id'))
    things.set(EXAMPLE.windowId, await maintenanceWindow(world, scene, name.includes('/review/')));
  if (name.endsWith('/expected/:orgId/:id')) things.set(EXAMPLE.expectedId, await expectedList(world, scene));
  if (name.includes('/users/confirm'))
    things.set(EXAMPLE.activateId, await world.activationOf(email('inga')));
  if (name === 'GET /login') {
    const { body } = await world.call('POST', '/dev-wallet/login', { email: email('ada'), name: 'Ada' });
    things.set(EXAMPLE.accessToken, body.access_token);
  }
  return things;
}

async function enrolment({ admin, orgId }: Scene): Promise<{ id: string; token: string }> {
  const { name, template } = exampleEnrolment;
  return (await admin.call('POST', `/enrolments/${orgId}`, { name, template })).body;
}

async function serviceToken({ admin, orgId }: Scene): Promise<string> {
  const fields = { name: 'Pipeline', role: 'REGULAR', readOnly: true };
  return (await admin.call('POST', `/service-tokens/${orgId}`, fields)).body.id as string;
}

async function webhook({ admin, orgId }: Scene): Promise<string> {
  const fields = { name: 'On-call', shape: 'cloudevents', url: 'https://receiver.invalid/' };
  return (await admin.call('POST', `/webhooks/${orgId}`, fields)).body.id as string;
}

async function notificationRule({ admin, orgId }: Scene): Promise<string> {
  const { body } = await admin.call('GET', `/notifications/rules/${orgId}`);
  const { id: _, isDefault: __, changed: ___, changedBy: ____, ...fields } = body.rules[0];
  return (await admin.call('POST', `/notifications/rules/${orgId}`, fields)).body.id as string;
}

const unsubscribeToken = ({ orgId, regular }: Scene): string =>
  unsubscribing(MASTER_SECRET).tokenOf(userRecipient(orgId, regular.userId).id);

/** @param isOver it can be reviewed */
async function maintenanceWindow(
  world: World,
  { admin, orgId, deviceId }: Scene,
  isOver: boolean,
): Promise<string> {
  const end = new Date(world.clock.now() + 1_000).toISOString();
  const given = { reason: 'Update', scope: { deviceIds: [deviceId] }, end };
  const { id } = (await admin.call('POST', `/maintenance/${orgId}`, given)).body;
  if (isOver) world.clock.advance(1_000);
  return id as string;
}

async function expectedList(world: World, { admin, orgId, deviceId }: Scene): Promise<string> {
  const { reason, contents } = expected;
  const end = new Date(world.clock.now() + 3_600_000).toISOString();
  const given = { reason, scope: { deviceIds: [deviceId] }, end, entries: contents };
  return (await admin.call('POST', `/expected/${orgId}`, given)).body.id as string;
}

async function invite({ admin, orgId, email }: Scene): Promise<string> {
  const user = { name: 'Inga', email: email('inga'), type: 'REGULAR', orgId };
  return (await admin.call('POST', `/users/${orgId}`, user)).body.id as string;
}

async function share({ admin, orgId, deviceId, alertId }: Scene): Promise<void> {
  const sharedEmailAddresses = ['erin@example.com'];
  await admin.call('POST', `/alerts/share/${orgId}/${deviceId}/${alertId}`, { sharedEmailAddresses });
}

function credentials(world: World): object {
  const wallet = developmentWallet(MASTER_SECRET, world.clock, systemRandom);
  return wallet.credentials(
    { email: 'walt@example.org', name: 'Walt' },
    `http://localhost:8443${CALLBACK_PATH}`,
  );
}
