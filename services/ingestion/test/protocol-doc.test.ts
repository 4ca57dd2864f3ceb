import { readFile } from 'node:fs/promises';
import t from 'tap';
import { CHANGES, COLLECTIONS, ERRORS, LIMITS } from '@sentinel-node/contracts';
import { deviceEntity, fileEntity, NOW, startWorld, type World } from './support.ts';

const DOCUMENT = new URL('../../../../docs/protocol.md', import.meta.url);
const EXAMPLE_KEY = 'sk1.EXAMPLE';
const ID = '01934d3a-7c00-7000-8000-0000000000';

interface Message {
  readonly start: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

const fenced = (text: string, language: string): string[] =>
  [...text.matchAll(new RegExp(`^\`\`\`${language}\\n([^]*?)^\`\`\`$`, 'gm'))].map(([, block]) => block!);

function messageOf(block: string): Message {
  const [head = '', ...rest] = block.split('\n\n');
  const [start = '', ...lines] = head.trimEnd().split('\n');
  const headers = lines.map((line) => /^([^:]+): (.*)$/.exec(line)!.slice(1) as [string, string]);
  return {
    start,
    headers: Object.fromEntries(headers.map(([name, value]) => [name.toLowerCase(), value])),
    body: rest.join('\n\n'),
  };
}

/** Sets up the device of the document's examples. */
async function documented(t: Parameters<typeof startWorld>[0]): Promise<World> {
  const env = { SENTINEL_PUBLIC_URL: 'https://sentinel.example' };
  const world = await startWorld(t, { env });
  const files = [
    fileEntity({ id: `${ID}10`, rolled: true, rolledFilenameRegexp: 'app\\.log\\.\\d+(\\.gz)?' }),
    fileEntity({
      id: `${ID}11`,
      path: '/etc/app/app.conf',
      monitoringFrequency: 'PROBE',
      interval: 10,
      modifiable: false,
    }),
    fileEntity({ id: `${ID}12`, path: 'off.log', enabled: false }),
  ];
  const device = { id: `${ID}02`, orgId: `${ID}01`, path: '/srv/app', configVersion: 7, files };
  await world.save(deviceEntity(device));
  const state = {
    id: `${ID}10`,
    rev: 1,
    length: 0,
    hash: 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855',
    sequence: NOW * 1_000 + 1,
    number: 1,
    linkHash: '1f0e6a3c5b8d7f2a9c4e1b6d8f3a5c7e9b2d4f6a8c1e3b5d7f9a2c4e6b8d1f3a',
  };
  await world.store.bulkUpsert(COLLECTIONS.fileStates, [state]);
  return world;
}

t.test('docs/protocol.md: its examples are what the server does', async (t) => {
  const text = await readFile(DOCUMENT, 'utf8');

  await t.test('each request shown gets the answer shown', async (t) => {
    const world = await documented(t);
    const messages = fenced(text, 'http').map(messageOf);
    t.ok(messages.length >= 16 && messages.length % 2 === 0);
    for (let index = 0; index < messages.length; index += 2) {
      const request = messages[index]!;
      const shown = messages[index + 1]!;
      const [method, url] = request.start.split(' ');
      const key = request.headers['x-api-key'] === EXAMPLE_KEY ? world.key() : request.headers['x-api-key']!;
      const answer = await world.app.inject({
        method: method as 'GET' | 'POST',
        url: url!,
        headers: { ...request.headers, 'x-api-key': key },
        ...(method === 'POST' ? { payload: request.body } : {}),
      });
      t.equal(`HTTP/1.1 ${answer.statusCode} ${answer.statusMessage}`, shown.start, request.start);
      for (const [name, value] of Object.entries(shown.headers)) t.equal(answer.headers[name], value, name);
      const body = JSON.parse(answer.body.replaceAll(world.key(), EXAMPLE_KEY)) as Record<string, unknown>;
      const expected = JSON.parse(shown.body) as Record<string, unknown>;
      t.equal(typeof body['requestId'], typeof expected['requestId']);
      t.same({ ...body, requestId: '' }, { ...expected, requestId: '' }, request.start);
    }
  });

  await t.test('each report shown is taken, and every change has one', async (t) => {
    const world = await documented(t);
    const reports = fenced(text, 'json');
    const single = fenced(text, 'http')
      .map(messageOf)
      .filter(({ start, body }) => start.startsWith('POST') && body.includes('"FIRST"'))
      .map(({ body }) => body);
    const changes = [...single, ...reports].map((body) => (JSON.parse(body) as { change: string }).change);
    t.same(changes, CHANGES);
    for (const body of reports)
      t.equal((await world.send(body, { fileId: `${ID}10` })).statusCode, 202, body);
    t.equal((await world.records()).length, reports.length);
  });

  await t.test('names every code that an agent can meet, with its status', async (t) => {
    const codes = [
      'MALFORMED_REQUEST',
      'HEADERS_TOO_LARGE',
      'INVALID_API_KEY',
      'NOT_FOUND',
      'MONITORING_DISABLED',
      'PAYLOAD_TOO_LARGE',
      'UNSUPPORTED_MEDIA_TYPE',
      'HOST_NOT_ALLOWED',
      'VALIDATION_FAILED',
      'SEQUENCE_AHEAD',
      'RATE_LIMITED',
      'OVERLOADED',
      'NOT_DURABLE',
    ] as const;
    for (const code of codes)
      t.match(text, new RegExp(`^\\| ${ERRORS[code].status} \\|[^|]*\`${code}\``, 'm'), code);
  });

  await t.test('names the limits', async (t) => {
    const count = (value: number): string => value.toLocaleString('en');
    for (const limit of [
      count(LIMITS.bulkLines),
      `${LIMITS.bulkBytes / 1_048_576} MiB`,
      `${LIMITS.reportBytes / 1_048_576} MiB`,
      `one heartbeat | ${LIMITS.heartbeatBytes / 1_048_576} MiB`,
      count(LIMITS.versionsPerReport),
      count(LIMITS.heartbeatFiles),
      count(LIMITS.filesPerDevice),
    ])
      t.ok(text.includes(limit), limit);
  });
});
