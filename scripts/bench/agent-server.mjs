// A server in a process of its own that accepts all calls of agents: heartbeats, configurations, reports in bulk.
import { readdirSync, readFileSync } from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { gunzipSync } from 'node:zlib';
import { answerCalls } from './child.mjs';
import { usage } from './usage.mjs';

const configurations = new Map();
const counts = { reports: 0, lastAt: 0, heartbeats: 0 };

const server = createServer(async (request, response) => {
  const chunks = [];
  for await (const chunk of request) chunks.push(chunk);
  const received = Buffer.concat(chunks);
  const body = request.headers['content-encoding'] === 'gzip' ? gunzipSync(received) : received;
  response.writeHead(request.url.includes('/files/bulk/') ? 202 : 200, { etag: '"1"' });
  response.end(JSON.stringify(answerTo(request.url, body)));
});

/** Longer than any pause of the agent, so that no call uses a connection that was just closed. */
server.keepAliveTimeout = 120_000;

function answerTo(url, body) {
  if (url.includes('/files/bulk/')) return countReports(body);
  if (url.includes('/devices/health/')) {
    counts.heartbeats += 1;
    const files = JSON.parse(body).files.map(({ id }) => ({
      id,
      lastSequence: 0,
      length: null,
      hash: null,
      number: null,
      linkHash: null,
    }));
    return { configVersion: 1, serverTime: new Date().toISOString(), files };
  }
  return configurations.get(url.split('/').at(-1));
}

function countReports(body) {
  let lines = 0;
  for (let at = body.indexOf(10); at !== -1; at = body.indexOf(10, at + 1)) lines += 1;
  if (body.at(-1) !== 10) lines += 1;
  counts.reports += lines;
  counts.lastAt = Date.now();
  return { accepted: lines, rejected: [] };
}

answerCalls({
  listen: () =>
    new Promise((resolve) => {
      server.listen(0, '127.0.0.1', () => resolve(`http://127.0.0.1:${server.address().port}/api/v1`));
    }),
  configure: ({ folder }) => {
    for (const name of readdirSync(folder)) {
      const configuration = JSON.parse(readFileSync(join(folder, name), 'utf8'));
      configurations.set(configuration.devId, configuration);
    }
    Object.assign(counts, { reports: 0, lastAt: 0, heartbeats: 0 });
  },
  counts: () => counts,
  usage,
  stop: () => server.close(),
});
