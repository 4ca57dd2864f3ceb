/** Two Host headers: this service and a server in front could each use another one (RFC 9112, 3.2). */
import { connect } from 'node:net';
import t from 'tap';
import { createHttp, createMetrics, readConfig, silentLog } from '../src/index.ts';

t.test('two Host headers are 400, one is answered', async (t) => {
  const config = readConfig({ SENTINEL_PORT: '0' });
  const http = await createHttp({
    config,
    log: silentLog(),
    metrics: createMetrics('test', { processMetrics: false }),
  });
  t.teardown(() => http.stop());
  const url = new URL(await http.listen());
  const status = (hosts: readonly string[]) =>
    new Promise<string>((resolve, reject) => {
      const socket = connect(Number(url.port), url.hostname);
      let text = '';
      socket.on('data', (chunk: Buffer) => (text += chunk.toString()));
      socket.once('close', () => resolve(text.split('\r\n', 1)[0]!));
      socket.once('error', reject);
      socket.write(`GET /healthz HTTP/1.1\r\n${hosts.join('\r\n')}\r\nconnection: close\r\n\r\n`);
    });
  t.equal(await status(['Host: localhost']), 'HTTP/1.1 200 OK');
  t.equal(await status(['Host: localhost', 'hOST: evil.example']), 'HTTP/1.1 400 Bad Request');
  t.equal(await status(['Host: localhost', 'Host: localhost']), 'HTTP/1.1 400 Bad Request');
});
