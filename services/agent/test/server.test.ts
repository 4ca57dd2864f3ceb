import t from 'tap';
import type { Heartbeat, Report } from '@sentinel-node/contracts';
import { reasonOf, Server } from '../src/net/server.ts';

const IDENTITY = { orgId: 'o', devId: 'd', apiKey: 'sk1.test', sentinelAddress: 'http://127.0.0.1/api/v1' };
const BEAT: Heartbeat = {
  ...{ timestamp: '2026-11-21T10:00:00.000Z', agentVersion: '0', queue: 0, oldestUnsent: null, files: [] },
  instanceId: '01900000-0000-7000-8000-000000000001',
};
const FAR = 'Mon, 01 Jan 2035 00:00:00 GMT';
const NOW = 'Sat, 21 Nov 2026 10:00:00 GMT';
const HEARD = { configVersion: 1, serverTime: '2026-11-21T10:00:00.000Z', files: [] };

/** Returns the answer to a heartbeat, and the dates that were taken for the server's. */
async function answerTo(body: string, init: ResponseInit) {
  const dates: number[] = [];
  const heard = new Server(
    IDENTITY,
    (ms) => dates.push(ms),
    () => Promise.resolve(new Response(body, init)),
  );
  return { answer: await heard.heartbeat(BEAT), dates };
}

t.test('the clock of a proxy or a sign-in page is not taken for the server’s', async (t) => {
  const pages: [string, string, number][] = [
    ['sign-in page', '<html>Sign in to the guest network</html>', 200],
    ['empty body', '', 200],
    ['other JSON', '{}', 200],
    ['page of a proxy', '<html>502 Bad Gateway</html>', 502],
    ['page without such a path', '<html>404</html>', 404],
  ];
  for (const [name, body, status] of pages) {
    const { answer, dates } = await answerTo(body, { status, headers: { date: FAR } });
    t.not(answer.kind, 'ok', name);
    t.same(dates, [], name);
  }
  const answered = await answerTo(JSON.stringify(HEARD), { headers: { date: NOW } });
  t.equal(answered.answer.kind, 'ok');
  t.same(answered.dates, [Date.parse(NOW)]);
  const problem = JSON.stringify({ code: 'INVALID_API_KEY' });
  const refused = await answerTo(problem, { status: 401, headers: { date: NOW } });
  t.same(refused.dates, [Date.parse(NOW)], 'a refusal of the server has its clock too');
});

t.test('a page with status 200 is told as one', async (t) => {
  const { answer } = await answerTo('<html>Sign in</html>', { status: 200 });
  t.match(answer, { kind: 'unreachable', detail: /^HTTP 200, not an answer of Sentinel Node/ });
});

t.test('a cut connection and a hanging server are told in words', (t) => {
  t.equal(reasonOf(AbortSignal.abort(new DOMException('', 'TimeoutError')).reason), 'no answer within 30 s');
  t.equal(
    reasonOf(new TypeError('fetch failed', { cause: { code: 'UND_ERR_SOCKET' } })),
    'the connection was cut',
  );
  t.equal(reasonOf(new TypeError('fetch failed', { cause: { code: 'ECONNREFUSED' } })), 'ECONNREFUSED');
  const redirected = new TypeError('fetch failed', { cause: new Error('unexpected redirect') });
  t.match(reasonOf(redirected), /^a redirect, which is not followed/);
  t.end();
});

t.test('Retry-After is followed for ten minutes at most', async (t) => {
  const waits: [string, number | undefined][] = [
    ['30', 30_000],
    ['600', 600_000],
    ['86400', 600_000],
    ['99999999999', 600_000],
    ['9'.repeat(400), 600_000],
    ['Sat, 21 Nov 2026 10:00:40 GMT', 40_000],
    [FAR, 600_000],
    ['Sat, 21 Nov 2026 09:00:00 GMT', 0],
    ['soon', undefined],
  ];
  for (const [told, retryAfterMs] of waits) {
    const headers = { date: NOW, 'retry-after': told };
    const { answer } = await answerTo('', { status: 503, headers });
    t.match(answer, { kind: 'unreachable', retryAfterMs }, told);
  }
});

/** Returns a server that answers everything with this. */
const serverWith = (answer: unknown): Server =>
  new Server(IDENTITY, undefined, () => Promise.resolve(Response.json(answer, { status: 202 })));

t.test(
  'a bulk answer that does not account for each line is no answer: no report is forgotten',
  async (t) => {
    const rejected = (line: number) => ({ line, code: 'NOT_FOUND', detail: '' });
    const cases: [string, unknown, boolean][] = [
      ['all', { accepted: 2, rejected: [] }, true],
      ['one of each', { accepted: 1, rejected: [rejected(2)] }, true],
      ['none', { accepted: 0, rejected: [rejected(1), rejected(2)] }, true],
      ['fewer', { accepted: 1, rejected: [] }, false],
      ['nothing', { accepted: 0, rejected: [] }, false],
      ['those of another body', { accepted: 3, rejected: [] }, false],
      ['a line that was not sent', { accepted: 1, rejected: [rejected(3)] }, false],
      ['a line before the first', { accepted: 1, rejected: [rejected(0)] }, false],
      ['one line twice', { accepted: 0, rejected: [rejected(1), rejected(1)] }, false],
    ];
    for (const [name, answer, isOne] of cases) {
      const { kind } = await serverWith(answer).bulk(['{}', '{}']);
      t.equal(kind, isOne ? 'ok' : 'unreachable', name);
    }
  },
);

t.test('an answer about another report is no answer', async (t) => {
  const fileId = '01900000-0000-7000-8000-000000000010';
  const report: Report = { sequence: 7, timestamp: BEAT.timestamp, change: 'MISSING', versions: [] };
  const other = '01900000-0000-7000-8000-000000000011';
  const kindOf = async (answer: unknown) => (await serverWith(answer).report(fileId, report)).kind;
  t.equal(await kindOf({ fileId, sequence: 7 }), 'ok');
  t.equal(await kindOf({ fileId, sequence: 6 }), 'unreachable');
  t.equal(await kindOf({ fileId: other, sequence: 7 }), 'unreachable');
});

t.test('the configuration of another device, as of a cache on the way, is not taken', async (t) => {
  const [orgId, devId, other] = [1, 2, 3].map((n) => `01900000-0000-7000-8000-00000000000${n}`);
  const own = {
    ...{ ...IDENTITY, orgId, devId, healthInterval: 60, workingDirectory: '/', files: [] },
    clearOrphanedProcesses: true,
  };
  const answerOf = (configuration: unknown) =>
    new Server({ ...IDENTITY, orgId: orgId!, devId: devId! }, undefined, () =>
      Promise.resolve(Response.json(configuration, { headers: { etag: '"7"' } })),
    ).configuration();
  t.match(await answerOf(own), { kind: 'ok', value: { version: 7 } });
  for (const different of [{ devId: other }, { orgId: other }])
    t.match(await answerOf({ ...own, ...different }), { kind: 'unreachable', detail: /another device/ });
});

t.test('an answer without an end is cut off', async (t) => {
  const mebibyte = new Uint8Array(1_048_576).fill(0x20);
  let given = 0;
  const body = () =>
    new ReadableStream<Uint8Array>({
      pull: (controller) => {
        given += 1;
        controller.enqueue(mebibyte);
        if (given === 500) controller.close();
      },
    });
  const server = new Server(IDENTITY, undefined, () => Promise.resolve(new Response(body())));
  t.match(await server.heartbeat(BEAT), { kind: 'unreachable', detail: /more than 64 MiB/ });
  t.ok(given < 80, `${given} MiB`);
});
