import fc from '@sentinel-node/test-kit/properties';
import { seedFrom } from '@sentinel-node/test-kit/seeds';
import t from 'tap';
import type { FileHistory } from './chain-records.ts';
import { exampleRequest } from './example-request.ts';
import { callsOf, documentOf, inlined, type ReadCall, type ReadDocument } from './openapi-document.ts';
import { createScene } from './scene.ts';
import { verifyClaimsOf } from './small-verifier.ts';
import { nearly } from '@sentinel-node/test-kit/schema-arbitrary';
import { createWorld, NO_LIMITS, untilShown } from './world.ts';

const SEED = seedFrom('SENTINEL_FUZZ_SEED');
/** Requests for each route: a number, not a time, so that a busy machine sends the same. */
const RUNS = Number(process.env['SENTINEL_FUZZ_RUNS'] ?? 30);
/** Routes that end the session, the caller or the data of the other calls; the tables of bad input cover them. */
const ENDING = new Set(['POST /logout', 'GET /stream/:orgId']);

t.test('a fuzz over the schemas of every route finds no answer of 500', async (t) => {
  t.comment(`seed ${SEED}: SENTINEL_FUZZ_SEED=random draws another, SENTINEL_FUZZ_RUNS lengthens it`);
  const world = await createWorld(t, { ...NO_LIMITS, SENTINEL_LIMIT_SHARE_ADDRESSES: '1000000' });
  const document = await documentOf(world);
  const histories = new Map<string, FileHistory>();
  await verifyClaimsOf(t, world.eventLog, histories);
  const scene = await createScene(world, histories);
  const calls = callsOf(document).filter(({ name }) => !ENDING.has(name));
  for (const one of calls.sort((a, b) => harm(a) - harm(b))) {
    const request = await exampleRequest(world, scene, one);
    const known = [
      scene.orgId,
      scene.deviceId,
      scene.fileId,
      scene.alertId,
      scene.linkId,
      scene.email('bob'),
    ];
    const { body, query, keys } = arbitraries(document, one.call, known);
    let asked = 0;
    const property = fc.asyncProperty(body, query, keys, async (sent, asking, key) => {
      asked += 1;
      const variant = {
        path:
          (one.path.endsWith('}') ? withKey(request.path, key) : request.path.split('?')[0]!) +
          queryText(asking),
        ...(one.call.requestBody === undefined ? {} : { body: JSON.stringify(sent) ?? '' }),
      };
      const answer = await untilShown(() => request.send(variant));
      const { status } = answer;
      if (status >= 500) throw new Error(`${status} ${JSON.stringify(answer.body)}`);
      if (status >= 400 && !(String(status) in one.call.responses))
        throw new Error(`${status} is not described`);
    });
    const found = await fc.check(property, { seed: SEED, numRuns: RUNS });
    t.notOk(
      found.failed,
      `${one.name}: ${asked} requests ${found.failed ? fc.defaultReportMessage(found) : ''}`,
    );
  }
});

function arbitraries(document: ReadDocument, call: ReadCall, known: readonly string[]) {
  const content = Object.values(call.requestBody?.content ?? {})[0];
  const schema = content === undefined ? {} : inlined(document, content.schema);
  const lines = (schema as { 'x-line'?: object })['x-line'];
  const asked = (call.parameters ?? []).filter(({ in: place }) => place === 'query');
  const properties = Object.fromEntries(
    asked.map((parameter) => [parameter.name, (parameter as unknown as { schema: object }).schema]),
  );
  const query = asked.length === 0 ? fc.constant({}) : nearly({ type: 'object', properties }, known);
  const good = { arbitrary: fc.constant(undefined), weight: 4 };
  const keys = fc.oneof(good, {
    arbitrary: fc.constantFrom(...known, '__proto__', '0', '\u0000'),
    weight: 1,
  });
  return { body: nearly(lines ?? schema, known), query, keys };
}

/** Orders reads first and deletions last, so that later calls find something. */
function harm({ method, call, name }: ReturnType<typeof callsOf>[number]): number {
  if (method === 'GET') return 0;
  if (call.security?.some((one) => 'deviceKey' in one) === true) return 1;
  return /delete|key/i.test(name) ? 3 : 2;
}

/** Replaces the last part of the path. */
function withKey(path: string, key: string | undefined): string {
  const [plain = ''] = path.split('?');
  return key === undefined ? plain : [...plain.split('/').slice(0, -1), encodeURIComponent(key)].join('/');
}

function queryText(query: unknown): string {
  if (typeof query !== 'object' || query === null) return '';
  const entries = Object.entries(query).map(([name, value]): [string, string] => [
    name,
    typeof value === 'string' ? value : (JSON.stringify(value) ?? ''),
  ]);
  return entries.length === 0 ? '' : `?${new URLSearchParams(entries)}`;
}
