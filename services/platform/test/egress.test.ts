/** Which servers of others this system calls, and what it does with what they answer. */
import { getEventListeners } from 'node:events';
import { readFileSync } from 'node:fs';
import t, { type Test } from 'tap';
import { makeCertificate, skipWithoutOpenssl } from '@sentinel-node/test-kit/test-servers/certificate';
import { WebhookReceiver } from '@sentinel-node/test-kit/test-servers';
import {
  AddressRules,
  HttpSender,
  SENDER_LIMITS,
  TargetRefusedError,
  TargetUnavailableError,
  type HttpSenderOptions,
  type PostAnswer,
} from '../src/index.ts';

const LOOPBACK = new AddressRules(['127.0.0.0/8']);
const PUBLIC_ONLY = new AddressRules([]);
/** Times that are short enough for a test. */
const SHORT = { connectMs: 2_000, headersMs: 300, wholeMs: 600 };

async function receiver(t: Test, tls?: { cert: string; key: string }): Promise<WebhookReceiver> {
  const server = await WebhookReceiver.start(tls);
  t.teardown(() => server.goOffline());
  return server;
}

async function post(url: string, options: Partial<HttpSenderOptions> = {}): Promise<PostAnswer> {
  const session = new HttpSender({ rules: LOOPBACK, ...options }).open();
  const { signal } = new AbortController();
  try {
    return await session.post({ url, headers: { 'content-type': 'text/plain' }, body: 'hi', signal });
  } finally {
    session.close();
  }
}

t.test('a call listens to its signal until it ends, however it ends', async (t) => {
  const server = await receiver(t);
  const session = new HttpSender({ rules: LOOPBACK, times: SHORT }).open();
  t.teardown(() => session.close());
  const { signal } = new AbortController();
  const call = () =>
    session.post({ url: server.url, headers: {}, body: '', signal }).catch((error: unknown) => error);
  for (const kind of ['drip', 'garbage', 'cut', 'switch', 'hang'] as const) {
    server.behaviour = { kind };
    await call();
  }
  server.behaviour = { kind: 'answer', status: 200 };
  await Promise.all(Array.from({ length: SENDER_LIMITS.connections }, call));
  await server.goOffline();
  await call();
  t.equal(getEventListeners(signal, 'abort').length, 0);
});

t.test('addresses that are not public are refused', async (t) => {
  const refused = [
    '0.0.0.0',
    '0.1.2.3',
    '10.0.0.1',
    '100.64.0.1',
    '100.100.100.200',
    '127.0.0.1',
    '127.255.255.254',
    '168.63.129.16',
    '169.254.169.254',
    '172.16.0.1',
    '172.31.255.255',
    '192.0.0.1',
    '192.168.1.1',
    '198.18.0.1',
    '224.0.0.1',
    '239.255.255.255',
    '240.0.0.1',
    '255.255.255.255',
    '::',
    '::1',
    '::ffff:127.0.0.1',
    '::ffff:8.8.8.8',
    '::ffff:7f00:1',
    '::127.0.0.1',
    '64:ff9b::7f00:1',
    '64:ff9b:1::1',
    '100::1',
    '2001::1',
    '2001:db8::1',
    '2002:7f00:1::1',
    '3fff::1',
    'fc00::1',
    'fd00:ec2::254',
    'fe80::1',
    'fe80::1%eth0',
    'fec0::1',
    'ff02::1',
    'localhost',
    '',
    '1.2.3',
  ];
  for (const address of refused) t.equal(PUBLIC_ONLY.check(address), 'refused', address);
  const open = ['1.1.1.1', '172.15.255.255', '172.32.0.1', '100.128.0.1', '2606:4700:4700::1111', '2a00::1'];
  for (const address of open) t.equal(PUBLIC_ONLY.check(address), 'public', address);
});

t.test('the operator allows single networks, no more', async (t) => {
  const rules = new AddressRules(['10.1.0.0/16', '192.168.7.7', 'fd12::/16']);
  t.same(
    ['10.1.255.255', '192.168.7.7', 'fd12::1', '8.8.8.8'].map((address) => rules.check(address)),
    ['allowed', 'allowed', 'allowed', 'public'],
  );
  for (const address of ['10.2.0.0', '192.168.7.8', 'fd13::1', '::1', '169.254.169.254'])
    t.equal(rules.check(address), 'refused', address);
});

t.test(
  'a whole network allows no address from which clouds serve the credentials of a machine',
  async (t) => {
    const [alibaba, ...others] = [
      '100.100.100.200',
      'fd00:ec2::254',
      'fd00:0ec2:0::0254',
      'fd20:ce::254',
    ] as const;
    const whole = new AddressRules(['100.64.0.0/10', 'fc00::/7']);
    for (const address of [alibaba, ...others]) t.equal(whole.check(address), 'refused', address);
    t.equal(whole.check('100.100.100.201'), 'allowed');
    const named = new AddressRules(['100.64.0.0/10', `${alibaba}/32`, 'fd00:ec2::254']);
    t.equal(named.check(alibaba), 'allowed', 'an operator who names it');
    t.equal(named.check('fd00:ec2::254'), 'allowed');
    t.equal(named.check('fd20:ce::254'), 'refused');
  },
);

t.test('a private target gets no connection, however its address is written', async (t) => {
  const server = await receiver(t);
  const hosts = [
    '127.0.0.1',
    'localhost',
    '127.1',
    '0x7f000001',
    '2130706433',
    '017700000001',
    '[::ffff:127.0.0.1]',
  ];
  for (const host of hosts)
    await t.rejects(post(`http://${host}:${server.port}/`, { rules: PUBLIC_ONLY }), TargetRefusedError, host);
  t.equal(server.connections, 0);
});

t.test('a name whose address changes is connected to at the address that was checked', async (t) => {
  const server = await receiver(t);
  const answers = [
    [{ address: '127.0.0.1', family: 4 }],
    [{ address: '169.254.169.254', family: 4 }],
    [
      { address: '93.184.216.34', family: 4 },
      { address: '127.0.0.1', family: 4 },
    ],
    [],
  ];
  let asked = 0;
  const resolve = async () => answers[asked++]!;
  const url = `http://rebinds.example:${server.port}/`;
  t.match(await post(url, { resolve }), { status: 200 });
  t.equal(asked, 1, 'the name was resolved once, for check and connection together');
  await t.rejects(post(url, { resolve }), TargetRefusedError);
  await t.rejects(
    post(url, { resolve, rules: PUBLIC_ONLY }),
    TargetRefusedError,
    'one wrong address is enough',
  );
  await t.rejects(post(url, { resolve }), TargetRefusedError, 'no address');
  t.equal(server.connections, 1);
});

t.test('a public address is reached by https only', async (t) => {
  const resolve = async () => [{ address: '93.184.216.34', family: 4 }];
  await t.rejects(post('http://plain.example/', { resolve }), /by https only/);
});

t.test('a redirect is an answer, and not followed', async (t) => {
  const [server, other] = [await receiver(t), await receiver(t)];
  server.behaviour = { kind: 'answer', status: 307, headers: { location: other.url } };
  t.match(await post(server.url), { status: 307 });
  t.equal(other.connections, 0);
});

t.test('receivers that hang, drip, break off or speak something else end in time', async (t) => {
  const server = await receiver(t);
  const fails = async (kind: 'hang' | 'garbage' | 'cut' | 'switch'): Promise<void> => {
    server.behaviour = { kind };
    await t.rejects(post(server.url, { times: SHORT }), TargetUnavailableError, kind);
  };
  await fails('hang');
  await fails('garbage');
  await fails('cut');
  await fails('switch');
  server.behaviour = { kind: 'drip' };
  // The status comes within the time of the whole, also from a busy machine.
  const dripped = await post(server.url, { times: { ...SHORT, headersMs: 5_000, wholeMs: 5_000 } });
  t.strictSame([dripped.status, Buffer.from(dripped.body).toString()], [200, 'drop'], 'its status stands');
  await server.goOffline();
  await t.rejects(post(server.url, { times: SHORT }), TargetUnavailableError, 'nobody listens');
  await server.goOnline();
});

t.test('a connection that nobody takes is given up', async (t) => {
  const resolve = () => new Promise<never>(() => undefined);
  await t.rejects(post('http://slow-name.example/', { resolve, times: { connectMs: 20 } }), {
    message: 'no connection within 0.02 s',
  });
});

t.test('of a huge answer only the beginning is read', async (t) => {
  const server = await receiver(t);
  server.behaviour = { kind: 'huge', bytes: 512 * 1_048_576 };
  const answer = await post(server.url);
  t.equal(answer.status, 200);
  t.equal(answer.body.length, SENDER_LIMITS.keptBytes);
  t.ok(server.written < 64 * 1_048_576, `the receiver wrote ${server.written} bytes`);
});

t.test('the certificate of a receiver must be valid', { skip: skipWithoutOpenssl }, async (t) => {
  const { cert, key } = makeCertificate(t, { addresses: ['127.0.0.1'] });
  const pem = { cert: readFileSync(cert, 'utf8'), key: readFileSync(key, 'utf8') };
  const server = await receiver(t, pem);
  await t.rejects(post(server.url), TargetUnavailableError);
  t.match(await post(server.url, { ca: pem.cert }), { status: 200 });
  t.equal(server.messages.length, 1);
  await t.rejects(post(server.url, { ca: pem.cert, rules: PUBLIC_ONLY }), TargetRefusedError);
});

t.test('a call that its caller ends fails as ended', async (t) => {
  const server = await receiver(t);
  server.behaviour = { kind: 'hang' };
  const ending = new AbortController();
  const session = new HttpSender({ rules: LOOPBACK }).open();
  const call = session.post({ url: server.url, headers: {}, body: '', signal: ending.signal });
  while (server.messages.length === 0) await new Promise((resolve) => setTimeout(resolve, 5));
  ending.abort();
  await t.rejects(call, { name: 'AbortError' });
  session.close();
});
