import t from 'tap';
import { createClient } from '../src/api/client.ts';
import { createHttp } from '../src/api/http.ts';

const http = createHttp({ base: '/api/v1', token: () => 'token', unauthorized: () => undefined });
const client = createClient(http);
const alert = { orgId: 'o', deviceId: 'd', id: 'i' };

/** What is left out, and the call that must name it. */
const nothing = undefined as never;
const CALLS: readonly (readonly [string, string, () => Promise<unknown>])[] = [
  ['body', 'addDevice', () => client.addDevice('o', nothing)],
  ['body', 'updateDevice', () => client.updateDevice('o', 'd', nothing)],
  ['forced', 'deleteDevice', () => client.deleteDevice('o', 'd', nothing)],
  ['files', 'saveFiles', () => client.saveFiles('o', 'd', nothing)],
  ['body', 'addUser', () => client.addUser('o', nothing)],
  ['body', 'updateUser', () => client.updateUser('o', 'u', nothing)],
  ['body', 'createOrganization', () => client.createOrganization(nothing)],
  ['stripeId', 'updateOrganization', () => client.updateOrganization('o', nothing)],
  ['sharedEmailAddresses', 'shareAlert', () => client.shareAlert(alert, nothing)],
  ['body', 'turnOffAlert', () => client.turnOffAlert({ ...alert, fileId: 'f' }, nothing)],
  ['orgId', 'getAlerts', () => client.getAlerts(null, {})],
  ['deviceId', 'getAlert', () => client.getAlert({ ...alert, deviceId: undefined })],
  ['id', 'getAlert', () => client.getAlert({ ...alert, id: null })],
  ['orgId', 'getDashboard', () => client.getDashboard(undefined)],
  ['orgId', 'getDevices', () => client.getDevices(null)],
  ['orgId', 'getUsers', () => client.getUsers(null)],
  ['linkId', 'getProof', () => client.getProof({ orgId: 'o', deviceId: 'd', fileId: 'f', linkId: null })],
  ['id', 'getSharedProof', () => client.getSharedProof(undefined)],
];

t.test('[S8.25] [S5.27] a call without a path parameter or body names it and sends nothing', async (t) => {
  const sent: unknown[] = [];
  const original = globalThis.fetch;
  globalThis.fetch = async (input) => {
    sent.push(input);
    return new Response('{}');
  };
  t.teardown(() => (globalThis.fetch = original));
  for (const [parameter, call, make] of CALLS) {
    const message = `Required parameter ${parameter} was null or undefined when calling ${call}`;
    await t.rejects(make(), { name: 'MissingParameterError', message }, `${call} without ${parameter}`);
  }
  t.same(sent, []);
});
