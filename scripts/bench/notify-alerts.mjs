// A device whose files must not change, and the receiver of its notices, in one process, so that one clock times both.
import { createServer } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { answerCalls } from './child.mjs';
import { Connection } from './connection.mjs';
import { pace } from './pace.mjs';
import { newFile } from './reports.mjs';
import { fileRequest } from './requests.mjs';
import { BULK_LINES, PATIENCE_MS, POLL_MS, SINGLE_CONNECTIONS } from './settings.mjs';

const ANSWERED = new Set([202]);

/** Unchanged files, with their device. */
const unchanged = [];
/** When a report was accepted and when its webhook arrived, in milliseconds, by file. */
const acceptedAt = new Map();
const toldAt = new Map();
let repeated = 0;

function receive(request, response) {
  const at = performance.now();
  let text = '';
  request.setEncoding('utf8');
  request.on('data', (part) => (text += part));
  request.on('end', () => {
    response.writeHead(200).end();
    const { type, data } = JSON.parse(text);
    if (!type.endsWith('alert.raised')) return;
    if (toldAt.has(data.file.id)) repeated += 1;
    else toldAt.set(data.file.id, at);
  });
}

async function post(connection, request) {
  const { status, body } = await connection.send(request);
  if (!ANSWERED.has(status)) throw new Error(`${status} ${body.slice(0, 300)}`);
}

const connectionsTo = (url, count) => Array.from({ length: count }, () => new Connection(new URL(url)));

/** Sends a report every 1/rate seconds on a free connection, whether earlier reports are answered or not. */
async function send(url, count, rate) {
  // New connections, because the server ends connections that were idle for seconds.
  const connections = connectionsTo(url, SINGLE_CONNECTIONS);
  const free = [...connections];
  const sent = [];
  for await (const n of pace(rate)) {
    if (n >= count) break;
    const next = unchanged.shift();
    if (next === undefined) throw new Error('no file is left that has not changed');
    while (free.length === 0) await delay(1);
    const connection = free.pop();
    const { target, file } = next;
    const answered = post(connection, fileRequest(url, target, [file], 1)).then(() => {
      acceptedAt.set(file.id, performance.now());
      free.push(connection);
      return file.id;
    });
    sent.push(answered);
  }
  const ids = await Promise.all(sent);
  connections.forEach((connection) => connection.close());
  return ids;
}

answerCalls({
  listen: async () => {
    const server = createServer(receive).listen(0, '127.0.0.1');
    await new Promise((resolve) => server.once('listening', resolve));
    return { url: `http://127.0.0.1:${server.address().port}/hook` };
  },
  /** Sends the first report of each file. */
  baseline: async ({ url, targets }) => {
    const [connection] = connectionsTo(url, 1);
    for (const { fileIds, ...target } of targets) {
      const files = fileIds.map(newFile);
      for (let at = 0; at < files.length; at += BULK_LINES)
        await post(connection, fileRequest(url, target, files.slice(at, at + BULK_LINES), BULK_LINES));
      unchanged.push(...files.map((file) => ({ target, file })));
    }
    connection.close();
  },
  /** @returns milliseconds from the 202 to the webhook, of each alert; empty without notices */
  raise: async ({ url, count, rate, told }) => {
    const ids = await send(url, count, rate);
    if (!told) return { millis: [], lost: 0, repeated };
    for (const end = performance.now() + PATIENCE_MS / 2; performance.now() < end; await delay(POLL_MS))
      if (ids.every((id) => toldAt.has(id))) break;
    const come = ids.filter((id) => toldAt.has(id));
    return {
      millis: come.map((id) => Math.max(0, toldAt.get(id) - acceptedAt.get(id))),
      lost: ids.length - come.length,
      repeated,
    };
  },
  stop: () => undefined,
});
