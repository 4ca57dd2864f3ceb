import { createHttp, createMetrics, readConfig, silentLog } from '@sentinel-node/platform';
import t from 'tap';
import { configurationForMembers } from '../src/devices/configuration.ts';
import { securityHeaders } from '../src/http/security-headers.ts';
import { createWorld, MASTER_SECRET } from './world.ts';

t.test('apart from ingestion, query gives a member the configuration that ingestion gives', async (t) => {
  const world = await createWorld(t);
  const ada = await world.organization('Analytical', 'ada@example.org');
  const eve = await world.organization('Evil', 'eve@example.org');
  const { body: device } = await ada.call('POST', `/devices/${ada.orgId}`, {
    name: 'engine',
    description: '',
    path: '/var/log',
    healthInterval: 60,
    monitoring: true,
    category: 'STANDARD',
  });
  const path = `/devices/config/${ada.orgId}/${device.id}`;
  const wanted = await ada.call('GET', path);
  t.equal(wanted.status, 200);

  const config = readConfig({});
  const shell = await createHttp({ config, log: silentLog(), metrics: createMetrics('apart') });
  await securityHeaders(shell.app, config);
  const secrets = { masterSecret: MASTER_SECRET };
  const apart = configurationForMembers({ config, secrets, store: world.store }, world.query.memberAuth);
  await apart.routes?.(shell.app);
  const call = (url: string, headers: Record<string, string>) =>
    shell.app.inject({ url: `/api/v1${url}`, headers: { host: 'localhost', ...headers } });

  const answer = await call(path, { 'x-access-token': ada.token });
  t.equal(answer.statusCode, 200);
  t.strictSame(answer.json(), wanted.body);
  t.ok(Number(answer.headers['ratelimit-remaining']) < Number(wanted.headers['ratelimit-remaining']));
  for (const name of ['cache-control', 'etag', 'x-content-type-options'])
    t.equal(answer.headers[name], wanted.headers[name], name);
  t.equal((await call(path, { 'x-access-token': eve.token })).statusCode, 404, 'another organisation');
  t.equal((await call(path, { 'x-access-token': 'x' })).statusCode, 401);
  t.equal((await call(path, {})).statusCode, 401);
  const unknown = `/devices/config/${ada.orgId}/`;
  for (const id of ['none', ada.orgId])
    t.equal((await call(unknown + id, { 'x-access-token': ada.token })).statusCode, 404);
  await ada.call('PUT', `/devices/delete/${ada.orgId}/${device.id}`, { forced: true });
  t.equal((await call(path, { 'x-access-token': ada.token })).statusCode, 404, 'deleted');
});
