/** Tests the way from the development wallet to anchored links, with HTTP alone. */
import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import type { Link } from '@sentinel-node/contracts';
import { call, Person, type Member } from './support/client.ts';
import { addFiles, deviceOf, MODIFIABLE, Reporter, version } from './support/reporter.ts';
import { linksOf, linksOnce } from './support/scene.ts';
import { openStream } from './support/sse.ts';
import { startedSystem, SUITE_ENV, SUITE_INTERVAL_SECONDS } from './support/system.ts';
import { FILE_MS, until } from './support/until.ts';

const EMAIL = 'lovelace@example.org';
/** With the descriptions, their record takes more than 1 MiB and is compressed; the tests of query try the limit itself. */
const MANY_FILES = 1_000;
const DESCRIPTION = 'd'.repeat(1_000);
const STATES = ['RECEIVED', 'BATCHED', 'BROADCAST', 'CONFIRMED'];

t.setTimeout(FILE_MS);
t.test('from the wallet to anchored links', { timeout: FILE_MS }, async (t) => {
  const node = await startedSystem(t, SUITE_ENV);
  const person = new Person(node, EMAIL, 'Ada');
  let agent: Reporter;
  let fileId = '';

  await t.test('the wallet tells the callback, the console asks by token [S7.24]', async (t) => {
    const { body } = await call(node, 'GET', '/api/v1/login?access_token=unknown-unknown-unknown');
    t.same(body, { success: false });
    const login = await person.signIn();
    t.match(login.body, {
      success: true,
      name: 'Ada',
      email: EMAIL,
      userRole: null,
      orgId: null,
      userId: String,
      token: String,
    });
    t.equal((await person.api('GET', '/session')).status, 200);
    const bare = await call(node, 'GET', '/api/v1/session');
    t.equal(bare.status, 401);
    t.match(bare.headers.get('content-type'), 'application/problem+json');
  });

  await t.test(
    'POST /orgs, and the link in the mail makes its first ADMIN [S7.1] [S7.27] [S7.29]',
    async (t) => {
      const wish = {
        name: 'Lovelace & Co',
        userName: 'Ada',
        e2Id: person.userId,
        emailAddress: person.email,
      };
      const created = await person.api('POST', '/orgs', wish);
      t.equal(created.status, 201);
      t.equal((await person.api('GET', `/orgs/${created.body.id}`)).status, 404, 'not active yet');
      const id = await person.activationId();
      const confirm = () => call(node, 'PUT', `/api/v1/users/confirm/link/${id}`);
      t.equal((await confirm()).body, 'OK');
      t.equal((await confirm()).status, 404, 'it works once');
      const login = await person.signIn();
      t.match(login.body, { orgId: created.body.id, userRole: 'ADMIN' });
      const read = await person.done('GET', `/orgs/${person.orgId}`);
      t.match(read, { name: 'Lovelace & Co', stripeId: null, sentinelAddress: /^http:.*\/api\/v1$/ });
      t.equal(new URL(read.sentinelAddress).port, new URL(node.url).port, 'the address has the real port');
      const xsrf = { 'x-access-token': person.token, 'x-xsrf-token': 'wrong' };
      const refused = await call(node, 'PUT', `/api/v1/orgs/${person.orgId}`, { stripeId: 'cus_1' }, xsrf);
      t.match(refused, { status: 403, body: { code: 'XSRF' } });
      const stripe = await person.done('PUT', `/orgs/${person.orgId}`, { stripeId: 'cus_1' });
      t.equal(stripe.stripeId, 'cus_1');
    },
  );

  await t.test('a device and its files [S7.9] [S7.10] [S7.11] [S7.14]', async (t) => {
    const { orgId } = person;
    const wish = {
      name: 'Server',
      path: '/srv',
      healthInterval: 60,
      monitoring: true,
      category: 'MISSION_CRITICAL',
    };
    const created = await person.api('POST', `/devices/${orgId}`, wish);
    t.equal(created.status, 201);
    const { id } = created.body;
    const device = await person.done('GET', `/devices/${orgId}/${id}`);
    matchWhole(t, device, {
      id,
      name: 'Server',
      enabled: true,
      status: 'ACTIVE',
      files: [],
      apiKey: /^sk1\./,
    });
    agent = new Reporter(person as Member, id as string, device.apiKey as string);
    const files = await addFiles(agent, { ledger: {}, journal: { monitoringFrequency: 'FOLLOW' } });
    fileId = files['ledger'] ?? '';
    const { devices } = await person.done('GET', `/devices/${orgId}`);
    matchList(t, devices, [{ id, filesCount: 2 }]);
    t.notOk('apiKey' in devices[0], 'a list holds no key');
    t.same(await person.done('GET', '/devices/category/intervals'), [
      { type: 'STANDARD', interval: 3600 },
      { type: 'ADVANCED', interval: 600 },
      { type: 'MISSION_CRITICAL', interval: SUITE_INTERVAL_SECONDS },
    ]);
  });

  await t.test('the agent reads its configuration with the key [S3.21]', async (t) => {
    const headers = { 'x-api-key': agent.apiKey };
    const { body } = await call(node, 'GET', `/api/v1/devices/config/${agent.path}`, undefined, headers);
    t.match(body, {
      orgId: person.orgId,
      devId: agent.deviceId,
      apiKey: agent.apiKey,
      healthInterval: 60,
      workingDirectory: '/srv',
      clearOrphanedProcesses: true,
    });
    t.equal(new URL(body.sentinelAddress).port, new URL(node.url).port);
    t.same(
      body.files.map(({ type, interval, data }: Record<string, unknown>) => ({ type, interval, data })),
      [
        { type: 'PROBE', interval: 1, data: 'text' },
        { type: 'FOLLOW', interval: undefined, data: 'text' },
      ],
    );
  });

  await t.test('reports with the key become links [S7.20] [S7.21] [S7.22]', async (t) => {
    const wrong = new Reporter(agent.member, agent.deviceId, 'sk1.wrong');
    const refused = await wrong.send(fileId, { change: 'FIRST', versions: [version('a')] });
    t.match(refused, { status: 401, body: { code: 'INVALID_API_KEY' } });
    await agent.report(fileId, 'FIRST', version('a'));
    await agent.report(fileId, 'REPLACED', version('a'), version('b'), version('c'));
    const links = await linksOnce(agent, fileId, 3);
    t.same(
      links.map(({ type, hash, firstHash, length, number }) => ({ type, hash, firstHash, length, number })),
      [
        { type: 'END', hash: version('c').hash, firstHash: false, length: 1, number: 3 },
        { type: 'LINK', hash: version('b').hash, firstHash: false, length: 1, number: 2 },
        { type: 'BASELINE', hash: version('a').hash, firstHash: true, length: 1, number: 1 },
      ],
      'number 0 is GENESIS',
    );
    t.equal(new Set(links.map(({ linkHash }) => linkHash)).size, 3);
    const [newest, middle, oldest] = links.map(({ id }) => id);
    const chain = (body: object) => agent.member.done('PUT', `/files/chain/${agent.path}/${fileId}`, body);
    const ids = async (body: object) => {
      const { links, newer, older } = await chain(body);
      return { ids: links.map(({ id }: { id: string }) => id), newer, older };
    };
    t.same(await ids({ hashId: middle }), { ids: [newest, middle, oldest], newer: false, older: false });
    t.same(await ids({ hashId: middle, before: 1 }), { ids: [middle, oldest], newer: true, older: false });
    t.same(await ids({ before: 1 }), { ids: [newest], newer: false, older: true });
    t.same(await ids({ after: 1 }), { ids: [oldest], newer: true, older: false });
    t.same(await ids({ idFrom: oldest, idTo: middle }), { ids: [middle, oldest], newer: true, older: false });
    // A store may show the contact later than the links.
    const file = await until('contact', async () => {
      const read = await person.done('GET', `/files/${agent.path}/${fileId}`);
      return read.contact === 'OK' ? read : undefined;
    });
    t.equal(file.id, fileId);
  });

  await t.test('the links are anchored, and the stream tells [S1.4]', async (t) => {
    const stream = await openStream(t, person as Member);
    const seen = new Set<string>();
    const named = new Set<string>();
    let n = 0;

    /** Makes a link and follows its states to the last one. */
    async function follow(): Promise<Link> {
      const states: string[] = [];
      await agent.report(fileId, 'REPLACED', version(n === 0 ? 'c' : `d${n}`), version(`d${(n += 1)}`));
      const anchored = await until('a confirmed anchor', async () => {
        const [newest] = await linksOf(agent, fileId);
        if (newest?.hash !== version(`d${n}`).hash) return undefined;
        const { state } = newest.anchor;
        if (states.at(-1) !== state) states.push(state);
        if (newest.bsvId !== null) named.add(state);
        return state === 'CONFIRMED' ? newest : undefined;
      });
      const order = [...states].sort((a, b) => STATES.indexOf(a) - STATES.indexOf(b));
      t.same(states, order, `only forwards: ${states.join(', ')}`);
      for (const state of states) seen.add(state);
      return anchored;
    }
    let { bsvId, anchor } = await follow();
    // A state can end before a look; then the next link shows it.
    while (!seen.has('RECEIVED') || !seen.has('BROADCAST')) ({ bsvId, anchor } = await follow());
    t.match(bsvId, /^[0-9a-f]{64}$/);
    t.ok(anchor.confirmations >= 1);
    t.same([...named].sort(), ['BROADCAST', 'CONFIRMED'], 'the transaction is named once it was sent');
    const frame = await stream.next(
      'the anchor of the batch',
      ({ event, data }) => event === 'anchor' && data.batch === anchor.batch && data.state === 'CONFIRMED',
    );
    t.match(frame.data, { bsvId, orgId: person.orgId });
  });

  await t.test('a device with very many files works as a small one', async (t) => {
    const large = await deviceOf(person as Member, { name: 'Large', category: 'STANDARD' });
    const names = Array.from({ length: MANY_FILES }, (_, n) => `usr/share/application-${n}.conf`);
    const files = await addFiles(
      large,
      Object.fromEntries(names.map((name) => [name, { description: DESCRIPTION }])),
    );
    const [first = '', last = ''] = [files[names[0]!], files[names.at(-1)!]];
    await large.report(last, 'FIRST', version('e'));
    await linksOnce(large, last, 1);
    const off = { ...MODIFIABLE, id: first, name: names[0]!, path: `files/${names[0]!}`, enabled: false };
    await person.done('PUT', `/devices/files/${large.path}`, { files: [off] });
    t.equal((await large.send(first, { change: 'FIRST', versions: [version('e')] })).status, 409, 'off');
    // A store that takes more than two minutes for it lets the call end without an answer, and the device goes all the same.
    await until(
      'the device is deleted',
      async () => {
        const { status } = await person.api('PUT', `/devices/delete/${large.path}`, { forced: true });
        if (status !== 503) t.ok(status < 300 || status === 404, `${status}`);
        return status === 503 ? undefined : true;
      },
      FILE_MS,
    );
    t.equal((await large.send(last, { change: 'FIRST', versions: [version('e')] })).status, 401);
  });

  await t.test('signing out ends the token', async (t) => {
    t.equal((await person.api('POST', '/logout')).status, 204);
    t.equal((await person.api('GET', '/session')).status, 401);
  });
});
