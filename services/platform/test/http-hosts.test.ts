/**
 * A request that names two hosts: this service and a server in front could each use another one (RFC 9112, 3.2).
 */
import { connect } from 'node:net';
import t, { type Test } from 'tap';
import { createHttp, createMetrics, readConfig, silentLog } from '../src/index.ts';

/** Returns the status line of the answer to a request for `target`. */
async function shell(t: Test): Promise<(target: string, ...hosts: readonly string[]) => Promise<string>> {
  const config = readConfig({ SENTINEL_PORT: '0' });
  const http = await createHttp({
    config,
    log: silentLog(),
    metrics: createMetrics('test', { processMetrics: false }),
  });
  t.teardown(() => http.stop());
  http.app.get('/test', () => 'OK');
  const url = new URL(await http.listen());
  return (target, ...hosts) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(url.port), url.hostname);
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.once('close', () => resolve(text.split('\r\n', 1)[0]!));
      socket.once('error', reject);
      socket.write(`GET ${target} HTTP/1.1\r\n${hosts.join('\r\n')}\r\nconnection: close\r\n\r\n`);
    });
}

t.test('two Host headers are 400, one is answered', async (t) => {
  const status = await shell(t);
  t.equal(await status('/healthz', 'Host: localhost'), 'HTTP/1.1 200 OK');
  t.equal(await status('/healthz', 'Host: localhost', 'hOST: evil.example'), 'HTTP/1.1 400 Bad Request');
  t.equal(await status('/healthz', 'Host: localhost', 'Host: localhost'), 'HTTP/1.1 400 Bad Request');
});

t.test('the host of an absolute target counts, whatever the Host header says', async (t) => {
  const status = await shell(t);
  const host = 'Host: localhost';
  t.equal(await status('http://localhost/test', host), 'HTTP/1.1 200 OK');
  t.equal(await status('HTTP://LocalHost:8443/test', host), 'HTTP/1.1 200 OK');
  for (const target of [
    'http://evil.example/test',
    'http://localhost@evil.example/test',
    'http://evil.example@localhost/test',
    'http://evil.example:80?/test',
    'http:///test',
  ])
    t.match(await status(target, host), /^HTTP\/1\.1 4/, target);
  t.equal(await status('http://evil.example/test', host), 'HTTP/1.1 421 Misdirected Request');
});
