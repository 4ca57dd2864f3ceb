import t from 'tap';
import { readConfig } from '../src/index.ts';

const problemsOf = (env: Record<string, string>): string => {
  try {
    readConfig(env);
    return '';
  } catch (error) {
    return error instanceof Error ? error.message : String(error);
  }
};

t.test('no syslog and no topic of notices without a setting', async (t) => {
  t.match(readConfig({}), { syslog: undefined, noticesTopic: false });
  t.match(readConfig({ SENTINEL_NOTICES: 'on' }), { syslog: undefined, noticesTopic: true });
});

t.test('an address switches syslog and the topic on', async (t) => {
  t.strictSame(readConfig({ SENTINEL_SYSLOG: 'tls://siem.example.org' }).syslog, {
    ...{
      host: 'siem.example.org',
      port: 6_514,
      tls: {},
      facility: 16,
      sdId: 'sentinel@32473',
      maxBytes: 8_192,
    },
  });
  const env = {
    SENTINEL_SYSLOG: 'tls://[::1]:601',
    SENTINEL_SYSLOG_TLS_CA: 'ca.pem',
    SENTINEL_SYSLOG_TLS_CERT: 'cert.pem',
    SENTINEL_SYSLOG_TLS_KEY: 'key.pem',
    SENTINEL_SYSLOG_FACILITY: 'local7',
    SENTINEL_SYSLOG_SD_ID: 'fim@12345.1',
    SENTINEL_SYSLOG_MAX_BYTES: '2048',
  };
  t.strictSame(readConfig(env).syslog, {
    ...{ host: '::1', port: 601, facility: 23, sdId: 'fim@12345.1', maxBytes: 2_048 },
    tls: { caFile: 'ca.pem', certFile: 'cert.pem', keyFile: 'key.pem' },
  });
  t.ok(readConfig(env).noticesTopic);
});

t.test('wrong settings are refused with what to give', async (t) => {
  for (const address of [
    'siem.example.org:6514',
    'tcp://a',
    'udp://a',
    'tls://',
    'tls://a:0',
    'tls://u:p@a',
    'tls://a/b',
    'tls://a?b',
  ])
    t.match(problemsOf({ SENTINEL_SYSLOG: address }), /SENTINEL_SYSLOG.*give tls:\/\//, address);
  const on = { SENTINEL_SYSLOG: 'tls://a' };
  for (const id of [
    'sentinel',
    'sen tinel@1',
    'a=b@1',
    'a]@1',
    'a"@1',
    'a@b@1',
    `${'a'.repeat(31)}@1`,
    '@1',
    'a@',
  ])
    t.match(problemsOf({ ...on, SENTINEL_SYSLOG_SD_ID: id }), /SENTINEL_SYSLOG_SD_ID/, id);
  for (const facility of ['local8', 'kern', '16', 'toString'])
    t.match(problemsOf({ ...on, SENTINEL_SYSLOG_FACILITY: facility }), /SENTINEL_SYSLOG_FACILITY/, facility);
  t.match(problemsOf({ ...on, SENTINEL_SYSLOG_MAX_BYTES: '480' }), /from 2048 to 65536/);
  t.match(problemsOf({ ...on, SENTINEL_SYSLOG_TLS_CERT: 'x' }), /SENTINEL_SYSLOG_TLS_KEY: is needed/);
  t.match(problemsOf({ ...on, SENTINEL_SYSLOG_TLS_KEY: 'x' }), /SENTINEL_SYSLOG_TLS_CERT: is needed/);
  t.match(
    problemsOf({ SENTINEL_SYSLOG_TLS_CA: 'x' }),
    /SENTINEL_SYSLOG_TLS_CA: says nothing without SENTINEL_SYSLOG/,
  );
});
