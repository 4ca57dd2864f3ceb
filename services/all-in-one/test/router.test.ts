/** Tests that the tests' web server in front passes on no header about a service's own connection. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { Router } from './support/router.ts';

void t.test('how long a service keeps a connection is not told to the client of the router', async (t) => {
  const service = createServer((_, answer) => answer.setHeader('x-own', 'kept').end('ok'));
  service.keepAliveTimeout = 72_000;
  await new Promise<void>((resolve) => service.listen(0, '127.0.0.1', resolve));
  t.teardown(() => service.close());
  const router = await Router.open(t, () => `http://127.0.0.1:${(service.address() as AddressInfo).port}`);
  const answer = await fetch(`http://127.0.0.1:${router.port}/api/v1/anything`);
  t.equal(await answer.text(), 'ok');
  t.equal(answer.headers.get('x-own'), 'kept');
  t.equal(answer.headers.get('keep-alive'), 'timeout=5', 'its own');
});
