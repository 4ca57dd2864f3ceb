import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import {
  BUNDLE_LIMITS,
  checkBundle,
  type Bundle,
  type HeaderChain,
  type ProofTrust,
} from '@sentinel-node/contracts';
import { Bundling } from '../src/proofs/bundling.ts';
import { PROOF_WORK } from '../src/proofs/limits.ts';
import type { FileHistory } from './chain-records.ts';
import { fileKey, mineBatches, NAMES, proofScene, trustOf, UNKNOWN, verifySignature } from './proof-scene.ts';
import { DEVICE, FILE } from './world.ts';

async function bundleScene(t: Parameters<typeof proofScene>[0]) {
  const here = await proofScene(t);
  const { admin, chains, orgId, deviceId } = here;
  const path = (file: 0 | 1) => `/proofs/${orgId}/${deviceId}/${fileKey(chains, file)}`;
  const bundle = (file: 0 | 1, query = '') => admin.call('GET', `${path(file)}${query}`);
  return { ...here, path, bundle };
}
const checked = (bundle: Bundle, trust: ProofTrust, headers?: HeaderChain) =>
  checkBundle(bundle, trust, { verifySignature, now: Date.now(), ...(headers && { headers }) });

t.test('the whole history of a file, of several batches, is one document that holds', async (t) => {
  const scene = await bundleScene(t);
  const { chains, bundle, read } = scene;
  const [one, two] = chains.files as [FileHistory, FileHistory];
  const by = { id: '01932b5e-7c00-7a11-8b22-000000000004', email: 'ada@example.org', note: 'n' };
  const batches = [
    () => [one.baseline(), two.baseline(), one.link()],
    () => [two.link()],
    () => {
      const raised = one.breach();
      return [raised, two.link(), one.handled(raised.alerts[0]!.id, { ...by, reset: true }), one.link()];
    },
  ];
  const { trust, headers } = await mineBatches(scene, batches);
  for (const file of [0, 1] as const) {
    const { status, body } = await bundle(file);
    const entries = chains.entriesOf(file);
    t.equal(status, 200);
    t.match(body, { from: 0, to: entries.length - 1, state: 'MINED', completeness: 'RANGE' });
    t.same(
      body.entries.map(({ kind }: { kind: string }) => kind),
      entries.map(({ kind }) => kind),
      'of every kind',
    );
    const verdict = await checked(body, trust, headers);
    t.same(verdict.fails, []);
    t.equal(verdict.outcome, 'NOT_PUBLIC');
    for (let from = 0; from < entries.length; from++)
      for (let to = from; to < entries.length; to++) {
        const part = await bundle(file, `?from=${from}&to=${to}`);
        t.same((await checked(part.body, trust, headers)).fails, [], `${from} to ${to}`);
      }
  }
  const { body } = await bundle(0, '?from=3');
  const single = await read(0, chains.entriesOf(0)[3]!.id);
  t.equal(body.previous, single.body.entry.previous);
  t.same(body.batches[0].nodes.length > 0, true);
  const text = JSON.stringify(body);
  for (const word of [chains.entriesOf(0)[3]!.id, 'firstHash', DEVICE.name, NAMES.file, FILE.path, 'ada@'])
    t.notOk(text.includes(word), word);
});

t.test('entries that wait for a batch are there, and keep the bundle from being complete', async (t) => {
  const { chains, bundle, anchoring } = await bundleScene(t);
  const [one] = chains.files as [FileHistory];
  const first = await chains.append(one.baseline());
  matchWhole(t, (await bundle(0)).body, { state: 'PENDING', batches: [], blocks: [] });
  await anchoring.cut(first, new Map([[fileKey(chains, 0), chains.entriesOf(0)]]));
  matchWhole(t, (await bundle(0)).body, { state: 'CUT', batches: [{ from: 0, to: 1, transaction: null }] });
  await anchoring.send(0);
  matchWhole(t, (await bundle(0)).body, { state: 'SENT', batches: [{ block: null }] });
  await anchoring.mine(0, 1);
  await chains.append(one.link());
  const { body } = await bundle(0);
  matchWhole(t, body, { state: 'PENDING', to: 2, batches: [{ from: 0, to: 1 }] });
  const verdict = await checked(body, trustOf(anchoring.genesisTxid));
  matchWhole(t, verdict, { outcome: 'INCOMPLETE', fails: [] });
  t.same(verdict.warnings.find(({ code }) => code === 'INCOMPLETE')?.numbers, [2]);
  t.same(
    (await checked(body, UNKNOWN)).fails.map(({ code }) => code),
    ['GENESIS_DIFFERS'],
  );
});

t.test('ranges that there are not, and how to ask for long ones', async (t) => {
  const { chains, bundle } = await bundleScene(t);
  t.match(await bundle(0), { status: 404, body: { detail: 'The file has no entries yet.' } });
  const [one] = chains.files as [FileHistory];
  await chains.append(one.baseline(), ...Array.from({ length: BUNDLE_LIMITS.entries - 1 }, () => one.link()));
  const newest = BUNDLE_LIMITS.entries;
  t.match(await bundle(0), {
    status: 422,
    body: {
      code: 'VALIDATION_FAILED',
      detail: /ask for from=0&to=999, then for from=1000, and so on to 1000\./,
    },
  });
  const page = await bundle(0, '?from=0&to=999');
  t.match({ ...page, body: page.body.entries.length }, { status: 200, body: newest });
  t.match((await bundle(0, `?from=${newest}`)).body, { from: newest, to: newest });
  t.same((await checked(page.body, UNKNOWN)).fails, []);
  for (const [query, status] of [
    ['?from=5&to=4', 422],
    ['?from=-1', 422],
    ['?to=-1', 422],
    ['?from=0.5', 422],
    ['?from=1e99', 422],
    ['?from=x', 422],
    ['?from=1&from=2', 422],
    ['?more=1', 422],
    [`?to=${newest + 1}`, 404],
    [`?from=${newest + 1}`, 404],
    [`?from=${2 ** 40}&to=${2 ** 40}`, 404],
  ] as const)
    t.equal((await bundle(0, query)).status, status, query);
});

t.test('who may read a bundle, and of what', async (t) => {
  const { chains, path, world, admin, orgId, deviceId } = await bundleScene(t);
  const [one] = chains.files as [FileHistory];
  await chains.append(one.baseline());
  t.equal((await world.call('GET', path(0))).status, 401);
  t.equal((await (await world.signIn('zoe@example.org')).call('GET', path(0))).status, 404);
  const regular = await world.member(admin, 'rita@example.org', 'REGULAR');
  t.equal((await regular.call('GET', path(0))).status, 200);
  const other = await world.organization('Other', 'bob@example.org');
  t.equal((await other.call('GET', path(0))).status, 404);
  t.equal((await other.call('GET', path(0).replace(orgId, other.orgId))).status, 404);
  t.equal((await admin.call('GET', path(0).replace(deviceId, fileKey(chains, 0)))).status, 404);
});

t.test('what a bundle may cost: places, and time between batches', async (t) => {
  const bundling = new Bundling();
  let resolve = (): void => undefined;
  const promise = new Promise<void>((done) => (resolve = done));
  const caller = { orgId: 'a', member: 'm' };
  const running = Array.from({ length: PROOF_WORK.bundlesPerMember }, () =>
    bundling.run(caller, () => promise),
  );
  await t.rejects(
    bundling.run(caller, async () => 1),
    { code: 'OVERLOADED' },
  );
  t.equal(await bundling.run({ orgId: 'b', member: 'n' }, async () => 1), 1, 'others find a place');
  resolve();
  await Promise.all(running);
  t.equal(await bundling.run(caller, async () => 2), 2, 'the place is free again');
  await t.rejects(
    bundling.run(caller, () => Promise.reject(new Error('no'))),
    /no/,
  );

  const { chains, bundle, anchoring, world } = await bundleScene(t);
  const [one] = chains.files as [FileHistory];
  const ranges = await chains.append(one.baseline());
  await anchoring.cut(ranges, new Map([[fileKey(chains, 0), chains.entriesOf(0)]]));
  const now = world.clock.now.bind(world.clock);
  let asked = 0;
  world.clock.now = () => now() + (PROOF_WORK.bundleMs + 1) * asked++;
  const late = await bundle(0);
  world.clock.now = now;
  t.match(late, { status: 503, body: { code: 'OVERLOADED', detail: /not made after 30 s/ } });
  t.equal((await bundle(0)).status, 200);
});
