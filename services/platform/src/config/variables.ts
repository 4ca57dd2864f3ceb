/** Every `SENTINEL_*` variable, described once: parsing, `--help` and the table of the README come from here. */
import { isLogOrigin } from '@sentinel-node/contracts';
import { networkList } from './address-ranges.ts';
import { headersSource, knownBlock } from './headers-source.ts';
import { ledgerAddresses, ledgerKeys } from './ledger-addresses.ts';
import { mongoUrl } from './mongo-url.ts';
import { privateTargets } from './private-targets.ts';
import { structuredDataId, syslogAddress, syslogFacility } from './syslog.ts';
import {
  addressList,
  anyText,
  brokerList,
  developmentOr,
  listenHost,
  mailbox,
  mailServer,
  matching,
  oneOf,
  origin,
  secureUrl,
  url,
  wholeNumber,
  type Parser,
} from './parsers.ts';

export const SERVICES = ['ingestion', 'chain-verifier', 'anchoring', 'query'] as const;
export type ServiceName = (typeof SERVICES)[number];

export interface Variable<T> {
  readonly name: string;
  readonly parse: Parser<T>;
  readonly meaning: string;
  readonly services: readonly ServiceName[];
  /** The value is secret and never shown. */
  readonly secret: boolean;
  /** The default as text; undefined: no default, or the default that `meaning` describes. */
  readonly defaultText: string | undefined;
}

type About = { readonly services?: readonly ServiceName[]; readonly secret?: boolean };

function variable<T>(name: string, parse: Parser<T>, fallback: string, meaning: string, about: About = {}) {
  return describe<T>(name, parse, fallback, meaning, about);
}
function optional<T>(name: string, parse: Parser<T>, meaning: string, about: About = {}) {
  return describe<T | undefined>(name, parse, undefined, meaning, about);
}
function describe<T>(
  name: string,
  parse: Parser<T>,
  defaultText: string | undefined,
  meaning: string,
  { services = SERVICES, secret = false }: About,
): Variable<T> {
  return { name: `SENTINEL_${name}`, parse, meaning, services, secret, defaultText };
}

const rate = wholeNumber(1, 1_000_000_000);
const seconds = wholeNumber(1, 86_400);
const QUERY: About = { services: ['query'] };
const ANCHORING: About = { services: ['anchoring'] };
const INGESTION: About = { services: ['ingestion'] };
const ANCHORING_AND_QUERY: About = { services: ['anchoring', 'query'] };
const secp256k1PublicKey = matching(
  /^(0[23][0-9a-f]{64}|04[0-9a-f]{128})$/,
  'a secp256k1 public key in lower-case hex (66 or 130 digits)',
);
const privateKey = matching(
  /^([0-9a-f]{64}|[5KLc9][1-9A-HJ-NP-Za-km-z]{50,51})$/,
  'a private key: WIF, or 64 lower-case hex digits',
);
const logOrigin: Parser<string> = (text) =>
  isLogOrigin(text) ? { value: text } : { problem: 'give a name without blanks or plus signs' };

export const VARIABLES = {
  port: variable('PORT', wholeNumber(0, 65_535), '8443', 'TCP port to listen on; 0 takes a free one'),
  host: variable('HOST', listenHost, '127.0.0.1', 'address to listen on'),
  dataDir: variable('DATA_DIR', anyText, './data', 'folder of the embedded store'),
  demo: variable('DEMO', oneOf('on', 'off'), 'on', 'sets up a demonstration on a fresh data folder', QUERY),
  publicUrl: optional(
    'PUBLIC_URL',
    origin,
    'where people and agents reach this system: base of links in mails and of the agents’ address (default: `http://localhost:<port>`, https with TLS)',
  ),
  kafkaBrokers: optional(
    'KAFKA_BROKERS',
    brokerList,
    'Kafka brokers, `host:port` with commas between; with `SENTINEL_MONGODB_URL`, takes the place of the embedded store',
  ),
  kafkaTls: variable(
    'KAFKA_TLS',
    oneOf('on', 'off'),
    'off',
    '`on` encrypts connections to Kafka; authorities are the system’s and those of `NODE_EXTRA_CA_CERTS`',
  ),
  kafkaTlsCa: optional(
    'KAFKA_TLS_CA',
    anyText,
    'file with the authorities of the brokers’ certificates (PEM), in the place of the others',
  ),
  kafkaTlsCert: optional(
    'KAFKA_TLS_CERT',
    anyText,
    'file with the certificate that this client shows the brokers (PEM), for brokers that ask for one',
  ),
  kafkaTlsKey: optional('KAFKA_TLS_KEY', anyText, 'file with the private key of that certificate (PEM)'),
  kafkaSasl: optional(
    'KAFKA_SASL',
    oneOf('plain', 'scram-sha-256', 'scram-sha-512', 'oauthbearer'),
    'mechanism of signing in to Kafka; needs user name and password, `oauthbearer` a token endpoint too',
  ),
  kafkaUsername: optional('KAFKA_USERNAME', anyText, 'user name for Kafka; of `oauthbearer` the client id'),
  kafkaPassword: optional(
    'KAFKA_PASSWORD',
    anyText,
    'password for Kafka; of `oauthbearer` the client’s secret',
    { secret: true },
  ),
  kafkaTokenUrl: optional(
    'KAFKA_TOKEN_URL',
    secureUrl,
    'endpoint that gives `oauthbearer` its tokens for client id and secret (OAuth 2.0 client credentials): https, plain http on this machine only',
  ),
  kafkaTokenScope: optional(
    'KAFKA_TOKEN_SCOPE',
    anyText,
    'scope that the token is asked for (default: none)',
  ),
  mongodbUrl: optional(
    'MONGODB_URL',
    mongoUrl,
    'MongoDB, `mongodb://user:password@host:port/database`, `authSource=admin` behind a `?` if the user was made there; goes with `SENTINEL_KAFKA_BROKERS`',
    { secret: true },
  ),
  secret: optional(
    'SECRET',
    matching(/^[^]{32,}$/, 'at least 32 characters'),
    'master secret, at least 32 characters (default, with the embedded store: made once and kept in the data folder)',
    { secret: true },
  ),
  sessionKey: variable(
    'SESSION_KEY',
    wholeNumber(1, 1_000_000),
    '1',
    'number of the key (`kid`) that tokens of sign-ins are made with; a higher one ends every session at once, everywhere',
    QUERY,
  ),
  wallet: variable(
    'WALLET',
    developmentOr(url('https:', 'http:')),
    'dev',
    '`dev`, or the URL of the wallet',
    QUERY,
  ),
  walletPublicKey: optional(
    'WALLET_PUBLIC_KEY',
    secp256k1PublicKey,
    'key that the wallet signs with; needed with a wallet’s URL',
    QUERY,
  ),
  mail: variable(
    'MAIL',
    developmentOr(mailServer),
    'dev',
    '`dev`, or `smtp(s)://user:password@host:port`, user and password percent-encoded',
    {
      ...QUERY,
      secret: true,
    },
  ),
  mailFrom: optional(
    'MAIL_FROM',
    mailbox,
    'sender of mails, `name@domain` or `Name <name@domain>` (default: `Sentinel Node <no-reply@…>` with the host of the public URL)',
    QUERY,
  ),
  ledger: variable(
    'LEDGER',
    ledgerAddresses,
    'dev',
    '`dev`, or the URL of an ARC service; several with commas between are asked in this order; `arcade+https://…` for an Arcade',
    ANCHORING,
  ),
  ledgerKey: optional(
    'LEDGER_KEY',
    ledgerKeys,
    'key of the ARC service; of several services one each, with commas between, empty for none',
    { ...ANCHORING, secret: true },
  ),
  ledgerCallbackUrl: optional(
    'LEDGER_CALLBACK_URL',
    url('https:', 'http:'),
    'where the ARC service reaches `/ledger/callback` of anchoring; without it, transactions are only polled',
    ANCHORING,
  ),
  fundingKey: optional(
    'FUNDING_KEY',
    privateKey,
    'key that pays for anchors; needed with an ARC service’s URL',
    {
      ...ANCHORING,
      secret: true,
    },
  ),
  network: optional(
    'NETWORK',
    oneOf('main', 'test', 'regtest'),
    'network of the public ledger, and of the block explorer that the console leads to (default: `main`; the development ledger is a network of its own)',
    ANCHORING_AND_QUERY,
  ),
  headers: optional(
    'HEADERS',
    headersSource,
    'where block headers come from, checked and not believed: URL of a block headers service, or a file of bare headers, or the URL of one (its path ends with `.bin` or `.headers`); plain HTTP on this machine only',
    ANCHORING,
  ),
  headersKey: optional('HEADERS_KEY', anyText, 'token of the block headers service', {
    ...ANCHORING,
    secret: true,
  }),
  headersCheckpoint: optional(
    'HEADERS_CHECKPOINT',
    knownBlock,
    'block that headers are checked from, `height:hash`; needed with the networks `test` and `regtest` (default on `main`: block 800000); never after the block of an anchor',
    ANCHORING,
  ),
  trustedProxies: optional(
    'TRUSTED_PROXIES',
    addressList,
    'proxies whose forwarded address counts: addresses, ranges, or the groups `loopback`, `linklocal` and `uniquelocal`, with commas between (default: none)',
  ),
  metricsFrom: variable(
    'METRICS_FROM',
    networkList,
    'private',
    'who gets `/metrics`, and the names of missing parts from `/readyz`, by the address of the connection: `private` for loopback, private and link-local addresses; addresses or ranges, with commas between. For others `/metrics` is 404',
  ),
  devExposed: variable(
    'DEV_EXPOSED',
    oneOf('yes', 'no'),
    'no',
    '`yes` lets a development part listen on another address than this machine’s own',
  ),
  tlsCert: optional('TLS_CERT', anyText, 'file with the certificate chain (PEM); with it HTTPS is served'),
  tlsKey: optional('TLS_KEY', anyText, 'file with the certificate’s private key (PEM)'),
  limitLogin: variable('LIMIT_LOGIN', rate, '120', 'GET /login, a minute an address', QUERY),
  limitConfirm: variable('LIMIT_CONFIRM', rate, '30', 'activation links, a minute an address', QUERY),
  limitResend: variable('LIMIT_RESEND', rate, '5', 'invitations sent again, a minute a user', QUERY),
  limitShare: variable('LIMIT_SHARE', rate, '5', 'alerts shared, a minute a user', QUERY),
  limitShareAddresses: variable(
    'LIMIT_SHARE_ADDRESSES',
    rate,
    '100',
    'addresses that alerts are shared with, a day an organisation; one share goes to at most 20',
    QUERY,
  ),
  limitInvitations: variable(
    'LIMIT_INVITATIONS',
    rate,
    '200',
    'activation mails, a day an organisation',
    QUERY,
  ),
  limitAddressMails: variable(
    'LIMIT_ADDRESS_MAILS',
    rate,
    '10',
    'invitations and shared alerts to one address, a day, whichever organisations cause them',
    QUERY,
  ),
  limitUserCalls: variable(
    'LIMIT_USER_CALLS',
    rate,
    '600',
    'other calls, a minute a user; calls refused for their token or key, a minute an address',
    { services: ['query', 'ingestion'] },
  ),
  limitTokenCalls: variable(
    'LIMIT_TOKEN_CALLS',
    rate,
    '600',
    'calls of programs, a minute a service token',
    QUERY,
  ),
  limitOrganizationCalls: variable(
    'LIMIT_ORGANIZATION_CALLS',
    rate,
    '60000',
    'calls of the people and programs of an organisation, a minute; below what the store takes, so that no organisation delays the others',
    QUERY,
  ),
  webhookPrivateTargets: variable(
    'WEBHOOK_PRIVATE_TARGETS',
    privateTargets,
    'no',
    'addresses in the operator’s own networks that webhooks may reach, also by plain HTTP: `no`; `yes` for private and loopback addresses; or ranges (10.1.0.0/16) with commas between',
    QUERY,
  ),
  notices: variable(
    'NOTICES',
    oneOf('on', 'off'),
    'off',
    '`on` puts every notice of every organisation on the topic `sentinel.notices.v1`, for the operator’s own programs; with `SENTINEL_SYSLOG` it is on',
    QUERY,
  ),
  syslog: optional(
    'SYSLOG',
    syslogAddress,
    'receiver of syslog messages over TLS (RFC 5424, RFC 5425), `tls://host:6514`; every notice of every organisation goes there',
    QUERY,
  ),
  syslogTlsCa: optional(
    'SYSLOG_TLS_CA',
    anyText,
    'file with the authorities of the receiver’s certificate (PEM), in the place of the system’s',
    QUERY,
  ),
  syslogTlsCert: optional(
    'SYSLOG_TLS_CERT',
    anyText,
    'file with the certificate that this client shows the receiver (PEM)',
    QUERY,
  ),
  syslogTlsKey: optional(
    'SYSLOG_TLS_KEY',
    anyText,
    'file with the private key of that certificate (PEM)',
    QUERY,
  ),
  syslogFacility: variable(
    'SYSLOG_FACILITY',
    syslogFacility,
    'local0',
    'facility of the messages: `local0` to `local7`, `user`, `daemon`, `auth`, `authpriv`, `audit` or `alert`',
    QUERY,
  ),
  syslogSdId: variable(
    'SYSLOG_SD_ID',
    structuredDataId,
    'sentinel@32473',
    'name of the structured data, with your private enterprise number; 32473 is the number for examples (RFC 5612)',
    QUERY,
  ),
  syslogMaxBytes: variable(
    'SYSLOG_MAX_BYTES',
    wholeNumber(2_048, 65_536),
    '8192',
    'longest message in bytes; longer texts are cut (receivers take 2,048, and should take 8,192)',
    QUERY,
  ),
  limitDeviceReports: variable('LIMIT_DEVICE_REPORTS', rate, '1000', 'reports, a second a device', INGESTION),
  limitDeviceBurst: variable(
    'LIMIT_DEVICE_BURST',
    rate,
    '20000',
    'reports that a device may send at once after a silence',
    INGESTION,
  ),
  limitOrganizationReports: variable(
    'LIMIT_ORGANIZATION_REPORTS',
    rate,
    '20000',
    'reports, a second an organisation; below what the chain and the views take, so that no organisation delays the others',
    INGESTION,
  ),
  limitOrganizationBurst: variable(
    'LIMIT_ORGANIZATION_BURST',
    rate,
    '400000',
    'reports that the devices of an organisation may send at once after a silence',
    INGESTION,
  ),
  limitWaitingReports: optional(
    'LIMIT_WAITING_REPORTS',
    wholeNumber(0, 1_000_000_000),
    'reports that are accepted and not in the views yet; while others send too, an organisation with more of them than are free waits. 0: no limit (default: 160000 on the embedded store, on Kafka no limit)',
    INGESTION,
  ),
  logOrigin: optional(
    'LOG_ORIGIN',
    logOrigin,
    'name of the transparency log (default: `sentinel-node/` and the first 16 digits of its id)',
    ANCHORING,
  ),
  witnessPolicy: optional(
    'WITNESS_POLICY',
    anyText,
    'file of the witnesses that each checkpoint is offered to, and of their quorum (C2SP tlog-policy, with URLs)',
    ANCHORING,
  ),
  logLevel: variable(
    'LOG_LEVEL',
    oneOf('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'),
    'info',
    'least level of the log lines on standard output',
  ),
  intervalStandard: variable(
    'INTERVAL_STANDARD',
    seconds,
    '3600',
    'seconds until a link of a STANDARD device is in a transaction, at most',
    ANCHORING_AND_QUERY,
  ),
  intervalAdvanced: variable(
    'INTERVAL_ADVANCED',
    seconds,
    '600',
    'the same for ADVANCED',
    ANCHORING_AND_QUERY,
  ),
  intervalMissionCritical: variable(
    'INTERVAL_MISSION_CRITICAL',
    seconds,
    '60',
    'the same for MISSION_CRITICAL',
    ANCHORING_AND_QUERY,
  ),
  logMaxMib: variable(
    'LOG_MAX_MIB',
    wholeNumber(0, 1_000_000_000),
    '0',
    'size in MiB at which the embedded log takes no more; 0: as much as the disk holds',
  ),
};

type Table = typeof VARIABLES;
/** Parsed values of the environment, by variable. */
export type Values = { readonly [K in keyof Table]: Table[K] extends Variable<infer T> ? T : never };

/** Prefix of the variables of the test suites; services ignore them. */
export const TEST_PREFIX = 'SENTINEL_TEST_';
