/** Servers that do no work on the same requests: the highest rate that ingestion could reach. */
import { randomBytes, randomUUID } from 'node:crypto';
import { BulkLineSchema, ReportAcceptedSchema, ReportSchema, signReceipts } from '@sentinel-node/contracts';
import { compileChecker, createHttp, createMetrics, silentLog } from '@sentinel-node/platform';
import fastify from 'fastify';
import { configurationOf } from './configuration.mjs';

const SINGLE = '/api/v1/files/:orgId/:deviceId/:fileId';
const BULK = '/api/v1/files/bulk/:orgId/:deviceId';
const BULK_BYTES = 16 * 1_048_576;
const NEWLINE = 0x0a;

const checker = compileChecker(BulkLineSchema);

/** Opens the HTTP shell of every service with two routes that do nothing. */
export async function openCeiling({ folder, secret }) {
  const config = configurationOf({ folder, secret });
  const metrics = createMetrics('ceiling', { processMetrics: false });
  const http = await createHttp({ config, log: silentLog(), metrics });
  singleRoute(http.app);
  bulkRoute(http.app);
  return { url: new URL(await http.listen()).origin, close: () => http.stop() };
}

/** Opens Fastify without the shell: the cost of a request without any of our code. */
export async function openBareFastify() {
  const app = fastify();
  singleRoute(app);
  const url = await app.listen({ host: '127.0.0.1', port: 0 });
  return { url, close: () => app.close() };
}

/**
 * Opens the shell with a route that only answers with a ready text: with a receipt under a signature of `count` reports
 * when the request asks for a receipt. This is the cost of the bytes of a receipt.
 */
export async function openAnswers({ folder, secret, count }) {
  const config = configurationOf({ folder, secret });
  const metrics = createMetrics('answers', { processMetrics: false });
  const http = await createHttp({ config, log: silentLog(), metrics });
  const fileId = randomUUID();
  const accepted = { fileId, sequence: Date.now() * 1_000 };
  const bare = JSON.stringify(accepted);
  const given = receiptsOf(fileId, count).map((receipt) => JSON.stringify({ ...accepted, receipt }));
  let at = 0;
  http.app.post(SINGLE, { config: { access: 'deviceKey' } }, async ({ headers }, reply) => {
    const isWanted = headers.prefer === 'receipt';
    if (isWanted) reply.header('preference-applied', 'receipt');
    const text = isWanted ? given[at++ % count] : bare;
    return reply.code(202).type('application/json; charset=utf-8').send(text);
  });
  return { url: new URL(await http.listen()).origin, close: () => http.stop() };
}

function receiptsOf(fileId, count) {
  const reports = Array.from({ length: count }, () => {
    return { fileId, acceptedAt: Date.now(), reportHash: randomBytes(32).toString('hex') };
  });
  const { path, signed } = signReceipts(new Uint8Array(32), reports, () => randomBytes(64));
  return reports.map(({ acceptedAt }, index) => ({ acceptedAt, index, path: path(index), ...signed }));
}

/** Adds a route that parses the body, checks it against the report's schema, and answers as ingestion does. */
function singleRoute(app) {
  app.post(
    SINGLE,
    {
      schema: { body: ReportSchema, response: { 202: ReportAcceptedSchema } },
      config: { access: 'deviceKey' },
    },
    async ({ params, body }, reply) =>
      reply.code(202).send({ fileId: params.fileId, sequence: body.sequence }),
  );
}

/** Adds a route that parses and checks each line. */
function bulkRoute(app) {
  const options = { parseAs: 'buffer', bodyLimit: BULK_BYTES };
  app.addContentTypeParser('application/x-ndjson', options, (_request, body, done) => done(null, body));
  app.post(BULK, { config: { access: 'deviceKey' } }, async ({ body }, reply) => {
    let accepted = 0;
    for (let start = 0; start < body.length;) {
      const newline = body.indexOf(NEWLINE, start);
      const end = newline === -1 ? body.length : newline;
      if (checker.check(JSON.parse(body.utf8Slice(start, end)))) accepted += 1;
      start = end + 1;
    }
    return reply.code(202).send({ accepted, rejected: [] });
  });
}
