/** Tests which proxy a call goes through, and what is said when the proxy does not let it through. */
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import t from 'tap';
import { AgentConfigError } from '../src/config-error.ts';
import { openNetwork } from '../src/net/network.ts';
import { proxiesIn, proxyFor } from '../src/net/proxies.ts';
import { openProxy, sentinel, setUp } from './operate-stage.ts';

t.test('a proxy is an address of http or https, or HOST:PORT as curl takes it', (t) => {
  for (const given of ['10.0.0.1:3128', 'proxy.corp:3128', 'http://proxy.corp:3128', 'https://u:p@proxy']) {
    const address = proxyFor(new URL('https://a'), proxiesIn({ HTTPS_PROXY: given }))?.address;
    t.equal(address, given.includes('://') ? given : `http://${given}`);
  }
  for (const given of ['socks5://user:secret@proxy:1080', 'http://', 'a b'])
    t.throws(
      () => proxiesIn({ HTTPS_PROXY: given }),
      new AgentConfigError('HTTPS_PROXY is no address of a proxy: give http://HOST:PORT'),
    );
  const both = proxiesIn({ http_proxy: 'a:1', HTTP_PROXY: 'b:1', HTTPS_PROXY: '' });
  t.match(both, { ofHttp: { variable: 'http_proxy' }, ofHttps: { variable: 'http_proxy' } });
  t.match(proxiesIn({}), { ofHttp: undefined, ofHttps: undefined });
  t.end();
});

t.test('NO_PROXY names servers, domains, addresses and networks', (t) => {
  const isExcepted = (url: string, noProxy: string) =>
    proxyFor(new URL(url), proxiesIn({ HTTPS_PROXY: 'proxy:1', NO_PROXY: noProxy })) === undefined;
  const cases: readonly [url: string, entry: string, isExcepted: boolean][] = [
    ['https://a.example', 'b.example, A.example', true],
    ['https://a.example', 'example', false],
    ['https://a.example', '.example', true],
    ['https://a.example', '*.example', true],
    ['https://a.example', '*', true],
    ['https://a.example', '', false],
    ['https://a.example', 'a.example:443', true],
    ['https://a.example:8443', 'a.example:443', false],
    ['https://[::1]:8787', '::1', true],
    ['https://[::1]:8787', '[::1]', true],
    ['https://[::1]:8787', '[::1]:8787', true],
    ['https://[::1]:8787', '[::1]:1', false],
    ['https://[2001:db8::1]', '2001:db8:0:0::1', true],
    ['https://[2001:db8::1]', '2001:db8::/32', true],
    ['https://[2001:db9::1]', '2001:db8::/32', false],
    ['https://10.1.2.3', '10.0.0.0/8', true],
    ['https://11.1.2.3', '10.0.0.0/8', false],
    ['https://11.1.2.3', '10.0.0.0/99', false],
    ['https://10.1.2.3', '10.1.2.3', true],
  ];
  for (const [url, entry, expected] of cases)
    t.equal(isExcepted(url, entry), expected, `${url} and "${entry}"`);
  t.end();
});

t.test('the refusal of a proxy names its status and its variable', async (t) => {
  let status = '407 Proxy Authentication Required';
  const proxy = createServer().on('connect', (_, socket) => socket.end(`HTTP/1.1 ${status}\r\n\r\n`));
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
  t.teardown(() => proxy.close());
  const HTTPS_PROXY = `127.0.0.1:${(proxy.address() as AddressInfo).port}`;
  const said = async (env: NodeJS.ProcessEnv, url = 'https://server.example/') => {
    const network = await openNetwork({}, env);
    return await network.fetch(url).then(String, (error: Error) => error.message);
  };
  t.equal(
    await said({ HTTPS_PROXY }),
    'the proxy of HTTPS_PROXY answers 407 in the place of a connection: it asks for a name and a password: http://NAME:PASSWORD@HOST:PORT',
  );
  status = '403 Forbidden';
  t.match(
    await said({ HTTPS_PROXY }),
    /^the proxy of HTTPS_PROXY answers 403 .*have it allow the connection/,
  );
  t.match(
    await said({ HTTP_PROXY: HTTPS_PROXY }, 'http://server.example/'),
    /^the proxy of HTTP_PROXY answers 403 /,
  );
  t.equal(await said({ https_proxy: '127.0.0.1:1' }), 'ECONNREFUSED (through the proxy of https_proxy)');
});

t.test('an agent behind a proxy writes nothing but its log', async (t) => {
  const { server, configuration, put, state } = await setUp(t);
  const { asked, address } = await openProxy(t);
  const file = await put('a.json', configuration(0, []));
  const args = ['--config', file, '--state', state, '--log', 'json', '--once'];
  const { code, stderr } = await sentinel(t, args, { HTTP_PROXY: address.slice('http://'.length) }).ended;
  t.equal(code, 0, stderr);
  t.same(new Set(asked), new Set([new URL(server.address).host]));
  for (const line of stderr.trim().split('\n')) t.ok(JSON.parse(line), line);
});
