// The web server of deploy/web, run for real in front of servers that only answer with their names.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer, request } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { freePort } from '../lib/free-port.mjs';
import { read, root } from './deploy-support.mjs';

const UPSTREAMS = ['ingestion', 'query', 'anchoring'];
const DEADLINE_MS = 120_000;

/**
 * Starts nginx with the files of deploy/web, with other addresses and without the name server of compose.
 * @param trusted proxies whose X-Forwarded-Proto counts
 */
export async function front(t, trusted = 'loopback') {
  const seen = [];
  const streams = new Set();
  const servers = {};
  for (const name of UPSTREAMS) {
    servers[name] = createServer((incoming, answer) => {
      const entry = { service: name, url: incoming.url, headers: incoming.headers, bytes: 0 };
      seen.push(entry);
      incoming.on('data', (chunk) => (entry.bytes += chunk.length));
      if (incoming.url.startsWith('/api/v1/stream/')) {
        answer.writeHead(200, { 'content-type': 'text/event-stream' }).flushHeaders();
        streams.add(answer);
      } else incoming.on('end', () => answer.end(name));
    }).listen(0, '127.0.0.1');
    await once(servers[name], 'listening');
  }
  const stop = async (name) => {
    servers[name].closeAllConnections();
    await new Promise((resolve) => servers[name].close(resolve));
  };
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-web-'));
  const port = await freePort();
  for (const name of readdirSync(join(root, 'deploy/web')))
    writeFileSync(join(folder, name), adapted(name, { folder, port, servers }));
  writeFileSync(join(folder, 'mime.types'), readFileSync('/etc/nginx/mime.types'));
  const child = spawn('sh', [join(folder, 'start.sh'), '-c', join(folder, 'nginx.conf')], {
    stdio: ['ignore', 'ignore', 'pipe'],
    // Simulates a kernel without IPv6, so that nginx listens on the address of this front only.
    env: {
      ...process.env,
      LISTEN_FOLDER: folder,
      IPV6_ADDRESSES: join(folder, 'none'),
      SENTINEL_TRUSTED_PROXIES: trusted,
    },
  });
  let said = '';
  child.stderr.on('data', (bytes) => (said += bytes));
  const ended = once(child, 'exit');
  t.teardown(async () => {
    child.kill('SIGTERM');
    await ended;
    for (const name of UPSTREAMS) await stop(name);
    rmSync(folder, { recursive: true, force: true });
  });
  const url = `http://127.0.0.1:${port}`;
  await until(`nginx listens; it says: ${said}`, async () => {
    if (child.exitCode !== null) throw new Error(said);
    return (await fetch(`${url}/healthz`).catch(() => undefined))?.ok;
  });
  const send = (frame) => streams.forEach((answer) => answer.write(frame));
  const logged = () => readFileSync(join(folder, 'access.log'), 'utf8') + said;
  /** The bodies that nginx has written to its disk. */
  const kept = () => readdirSync(join(folder, 'client_body'));
  return { url, seen, send, stop, logged, kept };
}

function adapted(name, { folder, port, servers }) {
  const text = read('deploy/web', name)
    .replaceAll(' /tmp/', ` ${folder}/`)
    .replaceAll('/etc/nginx/', `${folder}/`)
    .replaceAll('/dev/stdout', `${folder}/access.log`)
    .replaceAll('/dev/stderr', 'stderr')
    .replace('listen 8080;', `listen 127.0.0.1:${port};`)
    .replace('/srv/console', join(root, 'web/dist'));
  return text.replace(
    /server (\w+):8080/g,
    (_, service) => `server 127.0.0.1:${servers[service].address().port}`,
  );
}

export async function call(url, method, path, { body, headers = {} } = {}) {
  const outgoing = request(new URL(url), {
    path,
    method,
    headers: { ...headers, ...(body && { 'content-length': body.length }) },
  });
  outgoing.end(body);
  const [answer] = await once(outgoing, 'response');
  let text = '';
  for await (const chunk of answer) text += chunk;
  return { status: answer.statusCode, headers: answer.headers, text };
}

export async function until(what, condition) {
  const deadline = Date.now() + DEADLINE_MS;
  while (!(await condition())) {
    if (Date.now() > deadline) throw new Error(`not within ${DEADLINE_MS} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}
