import t from 'tap';
import { matchList, matchWhole } from '@sentinel-node/test-kit/matching';
import { ConfigError, configHelp, configTable, readConfig, type ServiceName } from '../src/index.ts';
import { VARIABLES } from '../src/config/variables.ts';
import { editDistance, nearestWord } from '../src/config/nearest.ts';

type Env = Record<string, string>;

function problemsOf(env: Env, services?: readonly ServiceName[]): readonly string[] {
  try {
    readConfig(env, services);
  } catch (error) {
    if (error instanceof ConfigError) return error.message.split('\n');
    throw error;
  }
  return [];
}

t.test('nothing set gives the embedded default', async (t) => {
  const config = readConfig({});
  matchWhole(t, config, {
    port: 8443,
    host: '127.0.0.1',
    dataDir: './data',
    demo: true,
    publicUrl: 'http://localhost:8443',
    secret: undefined,
    wallet: { kind: 'dev' },
    mail: { kind: 'dev' },
    ledger: { kind: 'dev' },
    trustedProxies: [],
    tls: undefined,
    logLevel: 'info',
    sessionKeyNumber: 1,
    categoryIntervalSeconds: { STANDARD: 3600, ADVANCED: 600, MISSION_CRITICAL: 60 },
    logMaxBytes: undefined,
  });
  t.strictSame(config.limits, {
    loginPerMinute: 120,
    confirmPerMinute: 30,
    resendPerMinute: 5,
    sharePerMinute: 5,
    shareAddressesPerDay: 100,
    invitationsPerDay: 200,
    mailsPerAddressPerDay: 10,
    userCallsPerMinute: 600,
    tokenCallsPerMinute: 600,
    deviceReportsPerSecond: 1000,
    deviceReportsBurst: 20000,
    organizationCallsPerMinute: 60000,
    organizationReportsPerSecond: 20000,
    organizationReportsBurst: 400000,
    waitingReports: 160000,
  });
  t.ok(Object.isFrozen(config) && Object.isFrozen(config.limits) && Object.isFrozen(config.trustedProxies));
});

t.test('every variable is taken over', async (t) => {
  const key = '02'.padEnd(66, 'a');
  const config = readConfig({
    NODE_ENV: 'production',
    SENTINEL_PORT: '443',
    SENTINEL_HOST: '0.0.0.0',
    SENTINEL_DATA_DIR: '/data',
    SENTINEL_PUBLIC_URL: 'https://sentinel.example/',
    SENTINEL_SECRET: 's'.repeat(32),
    SENTINEL_SESSION_KEY: '12',
    SENTINEL_WALLET: 'https://wallet.example/login',
    SENTINEL_WALLET_PUBLIC_KEY: key,
    SENTINEL_MAIL: 'smtp://user:pass@mail.example:587',
    SENTINEL_LEDGER: 'https://arc.example, arcade+https://arcade.example/base/',
    SENTINEL_LEDGER_KEY: 'arc-key,',
    SENTINEL_LEDGER_CALLBACK_URL: 'https://sentinel.example/ledger/callback',
    SENTINEL_FUNDING_KEY: 'f'.repeat(64),
    SENTINEL_HEADERS: 'https://headers.example',
    SENTINEL_TRUSTED_PROXIES: '10.0.0.0/8, loopback,::1',
    SENTINEL_TLS_CERT: 'cert.pem',
    SENTINEL_TLS_KEY: 'key.pem',
    SENTINEL_LIMIT_LOGIN: '7',
    SENTINEL_LOG_ORIGIN: 'example.org/log',
    SENTINEL_LOG_LEVEL: 'debug',
    SENTINEL_LOG_MAX_MIB: '2',
    SENTINEL_INTERVAL_MISSION_CRITICAL: '5',
  });
  matchWhole(t, config, {
    port: 443,
    host: '0.0.0.0',
    demo: false,
    publicUrl: 'https://sentinel.example',
    secret: 's'.repeat(32),
    sessionKeyNumber: 12,
    wallet: { kind: 'external', url: 'https://wallet.example/login', publicKey: key },
    mail: {
      kind: 'smtp',
      url: 'smtp://user:pass@mail.example:587',
      from: 'Sentinel Node <no-reply@sentinel.example>',
    },
    ledger: {
      kind: 'arc',
      endpoints: [
        { url: 'https://arc.example', api: 'arc', token: 'arc-key' },
        { url: 'https://arcade.example/base', api: 'arcade', token: undefined },
      ],
      callbackUrl: 'https://sentinel.example/ledger/callback',
      fundingKey: 'f'.repeat(64),
    },
    headers: { network: 'main', from: { kind: 'service', url: 'https://headers.example' } },
    trustedProxies: ['10.0.0.0/8', 'loopback', '::1'],
    tls: { certFile: 'cert.pem', keyFile: 'key.pem' },
    logOrigin: 'example.org/log',
    logMaxBytes: 2 * 1024 * 1024,
  });
  t.equal(config.limits.loginPerMinute, 7);
  t.equal(config.categoryIntervalSeconds.MISSION_CRITICAL, 5);
});

t.test('every problem is named, one line each, secrets are not repeated', async (t) => {
  const lines = problemsOf({
    SENTINEL_PORT: '99999',
    SENTINEL_HOST: 'localhost:80',
    SENTINEL_DEMO: 'maybe',
    SENTINEL_SECRET: 'hunter2',
    SENTINEL_PUBLIC_URL: 'https://a.example/path',
    SENTINEL_TRUSTED_PROXIES: '10.0.0.0/64',
    SENTINEL_LOG_LEVEL: 'a'.repeat(500),
  });
  t.strictSame(
    lines.map((line) => line.split(':')[0]),
    ['PORT', 'HOST', 'DEMO', 'PUBLIC_URL', 'SECRET', 'TRUSTED_PROXIES', 'LOG_LEVEL'].map(
      (n) => `SENTINEL_${n}`,
    ),
  );
  t.match(lines[0], /"99999" cannot be used; give a whole number from 0 to 65535/);
  t.notMatch(lines.join('\n'), /hunter2/);
  t.ok(
    lines.every((line) => line.length < 250),
    'a long value is cut',
  );
});

t.test('a mail server that cannot be the one that was meant is refused', async (t) => {
  for (const url of [
    'smtp:mail.example:587',
    'smtp://',
    'smtp://user:pass@',
    'https://mail.example',
    'smtp://mail.example/path',
    // Characters of a password that end a part of a URL.
    'smtp://user:12#geheim@mail.example',
    'smtp://user:12/geheim@mail.example',
    'smtp://user:12?geheim@mail.example',
    'smtp://user:50%geheim@mail.example',
  ]) {
    const [problem, ...more] = problemsOf({ SENTINEL_MAIL: url });
    t.match(problem, /^SENTINEL_MAIL: the value cannot be used; give smtp/, url);
    t.notMatch(problem, 'geheim');
    t.strictSame(more, []);
  }
  for (const url of [
    'smtp://mail.example',
    'smtps://us%40er:50%25@mail.example:465/',
    'smtp://[::1]:25',
    'smtp://user@10.0.0.1',
  ])
    t.strictSame(readConfig({ SENTINEL_MAIL: url }).mail.kind, 'smtp', url);
});

t.test('a line break in a value does not make a second line', async (t) => {
  t.equal(problemsOf({ SENTINEL_DEMO: 'on\noff' }).length, 1);
});

t.test('an unknown name is refused and the nearest known one named', async (t) => {
  matchList(t, problemsOf({ SENTINEL_PROT: '1' }), [/^SENTINEL_PROT: .*did you mean SENTINEL_PORT\?/]);
  matchList(t, problemsOf({ SENTINEL_XQZW_FLURB_KNORK: '1' }), [/--help lists/]);
  t.strictSame(problemsOf({ SENTINEL_TEST_REQUIRE: 'kafka', OTHER: 'x', SENTINEL_PORT: '' }), []);
});

const CLUSTER = {
  SENTINEL_KAFKA_BROKERS: 'k1:9092, k2.example:9093,[::1]:9094',
  SENTINEL_MONGODB_URL: 'mongodb://u:geheim@m1:27017,m2/sentinel?replicaSet=rs0',
  SENTINEL_SECRET: 's'.repeat(32),
};
const DEV = { SENTINEL_WALLET: 'dev', SENTINEL_MAIL: 'dev', SENTINEL_LEDGER: 'dev' };

t.test('Kafka and MongoDB take the place of the embedded store, together', async (t) => {
  t.strictSame(readConfig({}).store, { kind: 'embedded' });
  const config = readConfig({ ...CLUSTER, ...DEV });
  t.strictSame(config.store, {
    kind: 'cluster',
    kafka: { brokers: ['k1:9092', 'k2.example:9093', '[::1]:9094'] },
    mongodbUrl: CLUSTER.SENTINEL_MONGODB_URL,
  });
  t.equal(config.demo, false);
  for (const left of ['SENTINEL_KAFKA_BROKERS', 'SENTINEL_MONGODB_URL', 'SENTINEL_SECRET'])
    matchList(t, problemsOf({ ...CLUSTER, ...DEV, [left]: '' }), [new RegExp(`^${left}: is needed because`)]);
  const { SENTINEL_MAIL: _, ...others } = DEV;
  matchList(t, problemsOf({ ...CLUSTER, ...others }), [/^SENTINEL_MAIL: is needed .* or dev$/]);
  t.strictSame(problemsOf(CLUSTER, ['ingestion', 'chain-verifier']), []);
});

t.test('Kafka by TLS and with a user', async (t) => {
  const signIn = {
    SENTINEL_KAFKA_SASL: 'scram-sha-512',
    SENTINEL_KAFKA_USERNAME: 'sentinel',
    SENTINEL_KAFKA_PASSWORD: 'geheim',
  };
  const { store } = readConfig({ ...CLUSTER, ...DEV, ...signIn, SENTINEL_KAFKA_TLS: 'on' });
  t.match(store, {
    kafka: { tls: true, sasl: { mechanism: 'scram-sha-512', username: 'sentinel', password: 'geheim' } },
  });
  for (const left of Object.keys(signIn))
    matchList(t, problemsOf({ ...CLUSTER, ...DEV, ...signIn, [left]: '' }), [
      new RegExp(`^${left}: is needed because SENTINEL_KAFKA_`),
    ]);
  matchList(t, problemsOf({ SENTINEL_KAFKA_TLS: 'on' }), [
    /^SENTINEL_KAFKA_TLS: says nothing without SENTINEL_KAFKA_BROKERS$/,
  ]);
  matchList(t, problemsOf(signIn), [/^SENTINEL_KAFKA_SASL: says nothing without/]);
});

t.test('Kafka by a client certificate, and by tokens', async (t) => {
  const base = { ...CLUSTER, ...DEV };
  const pair = {
    SENTINEL_KAFKA_TLS: 'on',
    SENTINEL_KAFKA_TLS_CERT: '/files/kafka.crt',
    SENTINEL_KAFKA_TLS_KEY: '/files/kafka.key',
  };
  t.match(readConfig({ ...base, ...pair, SENTINEL_KAFKA_TLS_CA: '/files/ca.crt' }).store, {
    kafka: { tls: { caFile: '/files/ca.crt', certFile: '/files/kafka.crt', keyFile: '/files/kafka.key' } },
  });
  matchList(t, problemsOf({ ...base, ...pair, SENTINEL_KAFKA_TLS_KEY: '' }), [
    /^SENTINEL_KAFKA_TLS_KEY: is needed because SENTINEL_KAFKA_TLS_CERT is set/,
  ]);
  matchList(t, problemsOf({ ...base, ...pair, SENTINEL_KAFKA_TLS: 'off' }), [
    /^SENTINEL_KAFKA_TLS_CERT: says nothing without SENTINEL_KAFKA_TLS=on/,
    /^SENTINEL_KAFKA_TLS_KEY: says nothing/,
  ]);
  const tokens = {
    SENTINEL_KAFKA_SASL: 'oauthbearer',
    SENTINEL_KAFKA_USERNAME: 'client',
    SENTINEL_KAFKA_PASSWORD: 'geheim',
    SENTINEL_KAFKA_TOKEN_URL: 'https://id.example/token',
    SENTINEL_KAFKA_TOKEN_SCOPE: 'kafka',
  };
  t.match(readConfig({ ...base, ...tokens }).store, {
    kafka: {
      sasl: {
        mechanism: 'oauthbearer',
        username: 'client',
        password: 'geheim',
        tokenUrl: 'https://id.example/token',
        scope: 'kafka',
      },
    },
  });
  for (const url of [
    'http://id.example/token',
    'http://127.0.0.1.example/',
    'ftp://id.example/',
    'id.example',
  ])
    matchList(t, problemsOf({ ...base, ...tokens, SENTINEL_KAFKA_TOKEN_URL: url }), [
      /^SENTINEL_KAFKA_TOKEN_URL: .*https:\/\/ \(http:\/\/ on this machine only\)/,
    ]);
  for (const url of ['http://localhost:8080/token', 'http://127.0.0.1/token', 'http://[::1]:1/token'])
    t.strictSame(problemsOf({ ...base, ...tokens, SENTINEL_KAFKA_TOKEN_URL: url }), [], url);
  matchList(t, problemsOf({ ...base, ...tokens, SENTINEL_KAFKA_TOKEN_URL: '' }), [
    /^SENTINEL_KAFKA_TOKEN_URL: is needed because SENTINEL_KAFKA_SASL is oauthbearer/,
  ]);
  matchList(t, problemsOf({ ...base, ...tokens, SENTINEL_KAFKA_SASL: 'plain' }), [
    /^SENTINEL_KAFKA_TOKEN_URL: says nothing without SENTINEL_KAFKA_SASL=oauthbearer/,
    /^SENTINEL_KAFKA_TOKEN_SCOPE: says nothing/,
  ]);
});

t.test('brokers and connection strings are checked, and no password is shown', async (t) => {
  for (const brokers of ['k1', 'k1:0', 'k1:70000', 'http://k1:9092', 'k1:9092,,k2:9092', 'k 1:9092'])
    matchList(t, problemsOf({ ...CLUSTER, ...DEV, SENTINEL_KAFKA_BROKERS: brokers }), [
      /^SENTINEL_KAFKA_BROKERS: .*give host:port/,
    ]);
  for (const url of ['mongodb+srv://u:p@cluster.example/db', 'mongodb://[::1]:27017', 'mongodb://h/?a=b'])
    t.strictSame(problemsOf({ ...CLUSTER, ...DEV, SENTINEL_MONGODB_URL: url }), [], url);
  for (const url of [
    'http://geheim',
    'mongodb://',
    'mongodb://u:geheim@',
    'mongodb://h/a/geheim',
    'geheim',
  ]) {
    const [problem, ...more] = problemsOf({ ...CLUSTER, ...DEV, SENTINEL_MONGODB_URL: url });
    t.match(problem, /^SENTINEL_MONGODB_URL: the value cannot be used; give mongodb:/);
    t.notMatch(problem, /geheim/);
    t.strictSame(more, []);
  }
});

t.test('a connection string cannot weaken what the document store promises', async (t) => {
  const problemsOfUrl = (options: string) =>
    problemsOf({ ...CLUSTER, ...DEV, SENTINEL_MONGODB_URL: `mongodb://u:geheim@h/db?${options}` });
  for (const options of [
    'replicaSet=rs0&authSource=admin&tls=true',
    'w=majority&journal=true&readConcernLevel=majority&readPreference=primary&retryWrites=true',
    'W=Majority',
  ])
    t.strictSame(problemsOfUrl(options), [], options);
  for (const [options, name] of [
    ['journal=false', 'journal'],
    ['w=1', 'w'],
    ['replicaSet=rs0&readConcernLevel=local', 'readConcernLevel'],
    ['wtimeout=5', 'wtimeout'],
    ['wtimeoutMS=5', 'wtimeoutMS'],
    ['timeoutMS=5', 'timeoutMS'],
    ['readPreference=secondary', 'readPreference'],
    ['retryWrites=false', 'retryWrites'],
    ['retryWrites=true&retryWrites=false', 'retryWrites'],
    ['%6Aournal=false', 'journal'],
    ['JOURNAL=0', 'JOURNAL'],
  ] as const) {
    const [problem, ...more] = problemsOfUrl(options);
    t.match(problem, `take the option ${name} out`, options);
    t.notMatch(problem, /geheim|\n/);
    t.strictSame(more, []);
  }
});

t.test('development parts never run in production, each service answers for its own', async (t) => {
  const production = { NODE_ENV: 'production' };
  const named = (services?: readonly ServiceName[]) =>
    problemsOf(production, services).map((line) => line.split(':')[0]);
  t.strictSame(named(), ['SENTINEL_WALLET', 'SENTINEL_MAIL', 'SENTINEL_LEDGER']);
  t.strictSame(named(['anchoring']), ['SENTINEL_LEDGER']);
  t.strictSame(named(['ingestion', 'chain-verifier']), []);
});

t.test('a development part on another address needs consent', async (t) => {
  matchList(t, problemsOf({ SENTINEL_HOST: '0.0.0.0' }), [/^SENTINEL_HOST: .*SENTINEL_DEV_EXPOSED=yes/]);
  t.strictSame(problemsOf({ SENTINEL_HOST: '0.0.0.0', SENTINEL_DEV_EXPOSED: 'yes' }), []);
  t.strictSame(problemsOf({ SENTINEL_HOST: '0.0.0.0' }, ['ingestion']), []);
  for (const host of ['127.0.0.1', '127.8.0.1', '::1', 'localhost']) {
    t.strictSame(problemsOf({ SENTINEL_HOST: host }), [], host);
  }
  t.equal(problemsOf({ SENTINEL_HOST: '127.0.0.1.example.org' }).length, 1);
});

t.test('variables that need one another', async (t) => {
  matchList(t, problemsOf({ SENTINEL_WALLET: 'https://w.example' }), [
    /^SENTINEL_WALLET_PUBLIC_KEY: is needed/,
  ]);
  matchList(t, problemsOf({ SENTINEL_LEDGER: 'https://l.example' }), [
    /^SENTINEL_FUNDING_KEY: is needed/,
    /^SENTINEL_HEADERS: is needed/,
  ]);
  const funded = { SENTINEL_FUNDING_KEY: '1'.repeat(64), SENTINEL_HEADERS: 'https://h.example' };
  for (const ledger of [
    'http://l.example',
    'https://user:pass@l.example',
    'https://l.example/?a=b',
    'https://l.example,',
    'arcade+http://l.example',
    'ftp://l.example',
    'dev,https://l.example',
  ])
    matchList(
      t,
      problemsOf({ ...funded, SENTINEL_LEDGER: ledger }),
      [/^SENTINEL_LEDGER: .*https:\/\//],
      ledger,
    );
  t.same(problemsOf({ ...funded, SENTINEL_LEDGER: 'http://127.0.0.1:9090,http://[::1]:1' }), []);
  const two = { ...funded, SENTINEL_LEDGER: 'https://a.example,https://b.example' };
  matchList(t, problemsOf({ ...two, SENTINEL_LEDGER_KEY: 'one' }), [
    /^SENTINEL_LEDGER_KEY: give as many keys .*2/,
  ]);
  matchList(t, problemsOf({ ...two, SENTINEL_LEDGER_KEY: 'a b,c' }), [
    /^SENTINEL_LEDGER_KEY: the value cannot/,
  ]);
  matchList(t, problemsOf({ SENTINEL_TLS_CERT: 'c' }), [/^SENTINEL_TLS_KEY: is needed/]);
  matchList(t, problemsOf({ SENTINEL_TLS_KEY: 'k' }), [/^SENTINEL_TLS_CERT: is needed/]);
  const wrongKey = problemsOf({ SENTINEL_WALLET: 'https://w.example', SENTINEL_WALLET_PUBLIC_KEY: 'x' });
  matchList(t, wrongKey, [/^SENTINEL_WALLET_PUBLIC_KEY: "x" cannot be used/]);
  t.equal(wrongKey.length, 1);
  t.equal(readConfig({ SENTINEL_TLS_CERT: 'c', SENTINEL_TLS_KEY: 'k' }).publicUrl, 'https://localhost:8443');
});

t.test('block headers: a source, a network and a block that is known', async (t) => {
  const hash = 'ab'.repeat(32);
  const headersOf = (env: Env) => readConfig(env).headers;
  t.equal(headersOf({}), undefined);
  const known = { height: 800_000, hash: '000000000000000000ad9056924410005d91b57f100bce345944e5caf56e8565' };
  t.strictSame(headersOf({ SENTINEL_HEADERS: 'https://h.example/base', SENTINEL_HEADERS_KEY: 'k' }), {
    network: 'main',
    checkpoint: known,
    from: { kind: 'service', url: 'https://h.example/base', key: 'k' },
  });
  t.match(headersOf({ SENTINEL_HEADERS: './main.headers' }), {
    from: { kind: 'file', path: './main.headers' },
  });
  t.match(headersOf({ SENTINEL_HEADERS: 'https://h.example/main.headers' }), { from: { kind: 'file-url' } });
  t.match(headersOf({ SENTINEL_HEADERS: 'http://127.0.0.1:8080' }), { from: { kind: 'service' } });
  const regtest = { SENTINEL_HEADERS: 'f', SENTINEL_NETWORK: 'regtest' };
  t.match(headersOf({ ...regtest, SENTINEL_HEADERS_CHECKPOINT: `0:${hash}` }), {
    network: 'regtest',
    checkpoint: { height: 0, hash },
  });
  const wrong: [Env, RegExp][] = [
    [regtest, /^SENTINEL_HEADERS_CHECKPOINT: is needed: .* regtest$/],
    [{ ...regtest, SENTINEL_NETWORK: 'test' }, /^SENTINEL_HEADERS_CHECKPOINT: is needed: .* test$/],
    [{ ...regtest, SENTINEL_HEADERS_CHECKPOINT: '7' }, /^SENTINEL_HEADERS_CHECKPOINT: "7" cannot be used/],
    [
      { SENTINEL_HEADERS: 'f', SENTINEL_HEADERS_CHECKPOINT: `556766:${hash}` },
      /give block 556767 or a later/,
    ],
    [
      { SENTINEL_HEADERS_CHECKPOINT: `7:${hash}` },
      /^SENTINEL_HEADERS_CHECKPOINT: says nothing without SENTINEL_HEADERS$/,
    ],
    [{ SENTINEL_HEADERS: 'http://h.example' }, /plain HTTP leads to this machine only/],
    [{ SENTINEL_HEADERS: 'ftp://h.example' }, /give a file, or a URL/],
    [{ SENTINEL_HEADERS: 'https://u:p@h.example' }, /without user and query/],
    [{ SENTINEL_NETWORK: 'stn' }, /^SENTINEL_NETWORK: /],
  ];
  for (const [env, problem] of wrong) matchList(t, problemsOf(env), [problem]);
  for (const [env] of wrong) t.equal(problemsOf(env).length, 1);
});

t.test('help and table name every variable with its default', async (t) => {
  const [help, table] = [configHelp(), configTable()];
  for (const { name, defaultText } of Object.values(VARIABLES)) {
    t.match(help, new RegExp(`^  ${name} `, 'm'));
    t.ok(table.includes(`| \`${name}\` | ${defaultText === undefined ? '' : `\`${defaultText}\``} |`), name);
  }
  t.ok(help.split('\n').every((line) => line.length <= 100));
  t.notMatch(configHelp(['ingestion']), /SENTINEL_WALLET/);
  for (const { name } of Object.values(VARIABLES)) t.ok(table.match(new RegExp(`\`${name}\``)), name);
});

t.test('edit distance', async (t) => {
  t.equal(editDistance('kitten', 'sitting'), 3);
  t.equal(editDistance('', 'abc'), 3);
  t.equal(nearestWord('a', ['bcd']), undefined);
});
