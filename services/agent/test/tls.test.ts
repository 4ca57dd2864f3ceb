/** Tests the agent, as a process, with a TLS server: authorities, client certificates and proxies. */
import { readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import type { ServerOptions } from 'node:https';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import t, { type Test } from 'tap';
import { matchList } from '@sentinel-node/test-kit/matching';
import { makeCertificate, skipWithoutOpenssl } from '@sentinel-node/test-kit/test-servers/certificate';
import { connectionAdvice } from '../src/net/connection-advice.ts';
import { certificateExpiry } from '../src/net/certificates.ts';
import { FILE_MS, openProxy, sentinel, setUp, until } from './operate-stage.ts';

const PRELOAD = fileURLToPath(new URL('preload-clock.js', import.meta.url));
const DAY_MS = 24 * 3_600_000;
/** Life of a certificate above the warning's limit, in days. */
const GOOD_DAYS = 60;

t.setTimeout(FILE_MS);

/** Starts a server on 127.0.0.1 with a self-signed certificate, and configures an agent with one file. */
async function withTls(t: Test, more: ServerOptions = {}) {
  const files = makeCertificate(t, { addresses: ['127.0.0.1'], days: GOOD_DAYS });
  const tls = { cert: readFileSync(files.cert), key: readFileSync(files.key), ...more };
  const set = await setUp(t, tls);
  await writeFile(join(set.folder, 'a.log'), 'one\n');
  const config = await set.put('a.json', set.configuration(0, ['a.log']));
  const agent = (args: readonly string[], env: NodeJS.ProcessEnv = {}) =>
    sentinel(t, ['--config', config, '--state', set.state, ...args], env);
  return { ...set, agent, authority: ['--ca', files.cert] };
}

const options = { skip: skipWithoutOpenssl };

t.test('an authority that is not trusted is told in one line, and is trusted by --ca', options, async (t) => {
  const { agent, authority, server } = await withTls(t);
  const advice =
    /DEPTH_ZERO_SELF_SIGNED_CERT: the authority of the server's certificate is not trusted here: give its certificate by --ca/;
  const refused = agent([]);
  await until('it says what to do', () => advice.test(refused.said()));
  // Each try is a connection that the agent ends.
  await until('it tries again', () => server.connections >= 3);
  refused.child.kill('SIGTERM');
  t.equal((await refused.ended).code, 0);
  const told = refused.said().split('\n');
  t.equal(told.filter((line) => line.includes('heartbeat failed')).length, 1, 'once, not at every try');
  const checked = await agent(['--check']).ended;
  t.equal(checked.code, 1);
  t.match(checked.stdout, /^wrong server https:.*: cannot be reached \(DEPTH_ZERO_SELF_SIGNED_CERT: .*\)$/m);
  t.same(server.calls, [], 'nothing was said to a server that is not trusted');

  const taken = await agent(['--once', ...authority]).ended;
  t.equal(taken.code, 0, taken.stderr);
  t.equal(taken.stderr.includes('ends'), false, 'a good certificate is not spoken of');
  matchList(t, server.reports, [{ change: 'FIRST' }]);
});

t.test('authorities of NODE_EXTRA_CA_CERTS are trusted beside those of --ca', options, async (t) => {
  const { agent, authority } = await withTls(t);
  const other = makeCertificate(t, { addresses: [], days: GOOD_DAYS });
  const env = { NODE_EXTRA_CA_CERTS: authority[1] };
  const { code, stdout } = await agent(['--check', '--ca', other.cert], env).ended;
  t.equal(code, 0, stdout);
});

t.test('a client certificate: without it the server ends the connection', options, async (t) => {
  const own = makeCertificate(t, { addresses: [], days: GOOD_DAYS });
  const other = makeCertificate(t, { addresses: [], days: GOOD_DAYS });
  const ca = readFileSync(own.cert);
  const asking = { requestCert: true, rejectUnauthorized: true, ca };
  const { agent, authority, server } = await withTls(t, asking);
  const checked = async (...args: string[]) => (await agent(['--check', ...authority, ...args]).ended).stdout;
  t.match(
    await checked(),
    /^wrong server .*: the server ended the connection; it may ask for a certificate \(--cert, --key\)\)$/m,
  );
  t.match(
    await checked('--cert', other.cert, '--key', other.key),
    /^wrong server .*: the server ended the connection; it may not accept the certificate of --cert\)$/m,
  );
  t.same(server.calls, []);
  const shown = ['--cert', own.cert, '--key', own.key];
  t.match(await checked(...shown), /^ok {4}server /m);
  const taken = await agent(['--once', ...authority, ...shown]).ended;
  t.equal(taken.code, 0, taken.stderr);
  matchList(t, server.reports, [{ change: 'FIRST' }]);

  await t.test('through a proxy, and past it', async (t) => {
    const { asked, address } = await openProxy(t);
    const args = ['--check', ...authority, ...shown];
    const env = { HTTPS_PROXY: address, HTTP_PROXY: '', NO_PROXY: '' };
    const through = await agent(args, env).ended;
    t.equal(through.code, 0, through.stdout + through.stderr);
    t.same(asked, [new URL(server.address).host], 'the proxy connects to the server');
    t.equal((await agent(args, { ...env, NO_PROXY: '127.0.0.1' }).ended).code, 0);
    t.equal(asked.length, 1, 'NO_PROXY is honoured');
  });
});

t.test(
  'a certificate that ends soon, or has ended, is told at the start and by --check',
  options,
  async (t) => {
    const { agent, folder, server } = await withTls(t);
    const short = makeCertificate(t, { addresses: [], days: 3 });
    const shown = ['--cert', short.cert, '--key', short.key];
    const clock = join(folder, 'clock');
    const later = { NODE_OPTIONS: `--import=${PRELOAD}`, SENTINEL_TEST_CLOCK: clock };
    await writeFile(clock, String(4 * DAY_MS));
    const soon = await agent(['--check', '--json', ...shown]).ended;
    const about = (stdout: string) =>
      (JSON.parse(stdout) as { checks: { what: string }[] }).checks.find(({ what }) =>
        what.startsWith('certificate'),
      );
    t.match(about(soon.stdout), {
      device: null,
      what: `certificate ${short.cert} (--cert)`,
      result: 'note',
      found: /^ends in 2 days, at 20.*: have a new one made$/,
    });
    const ended = await agent(['--check', '--json', ...shown], later).ended;
    t.match(about(ended.stdout), { result: 'wrong', found: /^ended at 20.*: have a new one made$/ });
    t.same(server.calls, []);
    for (const [env, said] of [
      [{}, /warn --cert: .*cert\.pem ends in 2 days, at/],
      [later, /warn --cert: .*cert\.pem ended at/],
    ] as const) {
      const running = agent(shown, env);
      await until('it warns', () => said.test(running.said()));
      running.child.kill('SIGTERM');
      await running.ended;
    }
  },
);

t.test('files that are no certificates, keys, or do not belong together', options, async (t) => {
  const { agent, folder } = await withTls(t);
  const [one, other] = [1, 2].map(() => makeCertificate(t, { addresses: [] }));
  const broken = join(folder, 'broken.pem');
  await writeFile(broken, readFileSync(one!.cert, 'utf8').replace(/\n..../, '\nAAAA'));
  const none = join(folder, 'none.pem');
  await writeFile(none, 'hello\n');
  const cases: readonly [readonly string[], string][] = [
    [['--ca', broken], `--ca: ${broken} holds no certificate (PEM), or a broken one`],
    [['--ca', none], `--ca: ${none} holds no certificate (PEM), or a broken one`],
    [['--cert', none, '--key', one!.key], `--cert: ${none} holds no certificate (PEM), or a broken one`],
    [
      ['--cert', one!.cert, '--key', none],
      `--key: ${none} holds no private key (PEM), or one with a password`,
    ],
    [
      ['--cert', one!.cert, '--key', other!.key],
      `--key: ${other!.key} is not the key of the certificate in ${one!.cert}`,
    ],
  ];
  for (const [args, said] of cases)
    for (const mode of [[], ['--check']]) {
      const { code, stderr } = await agent([...mode, ...args]).ended;
      t.equal(code, 1);
      t.equal(stderr, `sentinel agent: ${said}\n`);
    }
});

t.test('how long a certificate is good for', (t) => {
  const endsAtMs = Date.parse('2026-03-20T00:00:00.000Z');
  const state = (before: number) =>
    certificateExpiry({ endsAtMs, goodUntilMs: endsAtMs }, endsAtMs - before).state;
  t.strictSame([14 * DAY_MS, 14 * DAY_MS - 1, 1, 0, -1].map(state), [
    'good',
    'soon',
    'soon',
    'ended',
    'ended',
  ]);
  t.equal(
    certificateExpiry({ endsAtMs, goodUntilMs: endsAtMs }, 0).said,
    'good until 2026-03-20T00:00:00.000Z',
  );
  t.match(certificateExpiry({ endsAtMs, goodUntilMs: endsAtMs + 1 }, endsAtMs), {
    state: 'soon',
    said: 'holds a certificate that ended at 2026-03-20T00:00:00.000Z',
  });
  t.end();
});

t.test('what is said of a connection that failed', (t) => {
  t.equal(connectionAdvice('ECONNREFUSED', true, false), 'ECONNREFUSED');
  t.equal(
    connectionAdvice('ECONNRESET', false, false),
    'ECONNRESET',
    'without TLS nobody asks for certificates',
  );
  t.match(connectionAdvice('ECONNRESET', true, false), /^ECONNRESET: .*may ask for a certificate/);
  t.match(
    connectionAdvice('ERR_SSL_TLSV1_ALERT_UNKNOWN_CA', true, true),
    /does not accept the certificate of --cert/,
  );
  t.end();
});
