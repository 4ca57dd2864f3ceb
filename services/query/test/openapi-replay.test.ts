import t, { type Test } from 'tap';
import { VIEWS_HEADERS } from '@sentinel-node/contracts';
import { Compile } from 'typebox/compile';
import type { FileHistory } from './chain-records.ts';
import {
  callsOf,
  documentOf,
  inlined,
  nameOf,
  type ReadCall,
  type ReadDocument,
} from './openapi-document.ts';
import { exampleRequest, type Call } from './example-request.ts';
import { createScene } from './scene.ts';
import { verifyClaimsOf } from './small-verifier.ts';
import { openStream } from './sse-client.ts';
import { createWorld, NO_LIMITS, untilShown, type Answer } from './world.ts';

/** Calls after which a scene lacks what others need: what they end or switch off, an API key, a person's one open invitation. */
const HARMS = /^DELETE |^PUT \/devices\/:orgId\/:id$|\/(delete|logout|key|confirm|resend)(\/|$)/;

t.test(
  'every example of the document, sent to a running service, is answered as the document says',
  async (t) => {
    const world = await createWorld(t, NO_LIMITS);
    const histories = new Map<string, FileHistory>();
    await verifyClaimsOf(t, world.eventLog, histories);
    const document = await documentOf(world);
    const shared = await createScene(world, histories);
    for (const call of callsOf(document)) {
      if (call.name === 'GET /stream/:orgId') continue;
      const scene = HARMS.test(call.name) ? await createScene(world, histories) : shared;
      const request = await exampleRequest(world, scene, call);
      const answer = await untilShown(() => request.send());
      checkAnswer(t, document, call, answer);
    }

    await t.test('GET /stream/:orgId', async (t) => {
      const scene = await createScene(world, histories);
      const stream = await openStream(t, world, scene.admin, scene.orgId);
      t.equal(stream.status, 200);
      t.match(stream.headers.get('content-type'), /^text\/event-stream/);
      t.match(await stream.next(() => true), { event: 'ready', data: {} });
    });
  },
);

t.test('[S6.10] a REGULAR user is answered by the role alone, also where the body is right', async (t) => {
  const world = await createWorld(t, NO_LIMITS);
  const histories = new Map<string, FileHistory>();
  await verifyClaimsOf(t, world.eventLog, histories);
  const accessOf = new Map(world.routes.map((route) => [nameOf(route), route.access]));
  const ofOrganization = (name: string): boolean => ['member', 'admin'].includes(accessOf.get(name) ?? '');
  const changes = callsOf(await documentOf(world)).filter(
    ({ name, method }) => method !== 'GET' && ofOrganization(name),
  );
  t.ok(changes.length > 30, `${changes.length} changes of members`);
  // What is refused changes nothing, so all of it is asked of one scene, but for a second invitation of the same person.
  const shared = await createScene(world, histories);
  for (const call of changes) {
    const isRefused = accessOf.get(call.name) === 'admin';
    const scene =
      isRefused && !call.name.includes('/users/resend') ? shared : await createScene(world, histories);
    const request = await exampleRequest(world, scene, call, 'regular');
    const answer = await untilShown(() => request.send());
    const expected = isRefused ? '403' : successOf(call.call)[0];
    t.equal(String(answer.status), expected, `${call.name}: ${JSON.stringify(answer.body).slice(0, 200)}`);
  }
});

function checkAnswer(t: Test, document: ReadDocument, { name, call }: Call, answer: Answer): void {
  const [status, described] = successOf(call);
  t.equal(String(answer.status), status, `${name}: ${JSON.stringify(answer.body).slice(0, 200)}`);
  const media = described.content?.['application/json'];
  if (media === undefined) return void t.equal(answer.body, '', `${name}: no body`);
  t.match(answer.headers['content-type'], /^application\/json/, `${name}: type`);
  const check = Compile(inlined(document, media.schema) as never);
  t.strictSame([...check.Errors(answer.body)], [], `${name}: the answer fits its schema`);
  const isObject = typeof answer.body === 'object' && !Array.isArray(answer.body);
  if (isObject)
    t.strictSame(
      Object.keys(answer.body).sort(),
      Object.keys(media.example as object).sort(),
      `${name}: members`,
    );
  const tagged = 'headers' in described && described.headers !== undefined && 'ETag' in described.headers;
  t.equal('etag' in answer.headers, tagged, `${name}: ETag as described`);
  const tellsViews = VIEWS_HEADERS.state in (described.headers ?? {});
  t.equal(VIEWS_HEADERS.state in answer.headers, tellsViews, `${name}: the age of the views as described`);
}

function successOf(call: ReadCall) {
  return Object.entries(call.responses).find(([status]) => status.startsWith('2'))!;
}
