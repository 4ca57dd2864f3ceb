import { isIP } from 'node:net';
import type { Category } from '@sentinel-node/contracts';
import type { KafkaConnection, KafkaSasl, KafkaTls } from '../kafka/options.ts';
import { headersConfig, type HeadersConfig } from './headers-source.ts';
import type { LedgerAddress } from './ledger-addresses.ts';
import { syslogConfig, type SyslogConfig } from './syslog.ts';
import type { Values } from './variables.ts';

/** Checked configuration of one process; frozen. Durations and sizes carry their unit in the name. */
export interface Config {
  readonly port: number;
  readonly host: string;
  readonly dataDir: string;
  readonly store:
    | { readonly kind: 'embedded' }
    | { readonly kind: 'cluster'; readonly kafka: KafkaConnection; readonly mongodbUrl: string };
  /** Set up the demonstration if the data folder is fresh. */
  readonly demo: boolean;
  /** Origin without a slash at the end. */
  readonly publicUrl: string;
  /** Undefined only with the embedded store, which keeps the secret in the data folder (`loadMasterSecret`). */
  readonly secret: string | undefined;
  /** `kid` of session tokens. */
  readonly sessionKeyNumber: number;
  readonly wallet:
    | { readonly kind: 'dev' }
    | { readonly kind: 'external'; readonly url: string; readonly publicKey: string };
  readonly mail:
    | { readonly kind: 'dev' }
    /** `from`: an address in the form that `mailboxOf` accepts. */
    | { readonly kind: 'smtp'; readonly url: string; readonly from: string };
  readonly ledger:
    | { readonly kind: 'dev' }
    | {
        readonly kind: 'arc';
        /** At least one; asked in this order. `token`: sent as a Bearer token to this endpoint only. */
        readonly endpoints: readonly (LedgerAddress & { readonly token: string | undefined })[];
        readonly callbackUrl: string | undefined;
        /** WIF, or hex of 32 bytes. */
        readonly fundingKey: string;
      };
  /** Of the public ledger. */
  readonly network: NonNullable<Values['network']>;
  /** Undefined: no headers are requested; the development ledger supplies its own. */
  readonly headers: HeadersConfig | undefined;
  readonly trustedProxies: readonly string[];
  /** CIDR ranges of the connections that get metrics. */
  readonly metricsFrom: readonly string[];
  /** CIDR ranges beside the public ones that webhooks may reach; with one, also by plain HTTP. */
  readonly webhookPrivateTargets: readonly string[];
  /** Put every notice on a topic for the operator's own programs. */
  readonly noticesTopic: boolean;
  /** Undefined: no syslog. */
  readonly syslog: SyslogConfig | undefined;
  readonly tls: { readonly certFile: string; readonly keyFile: string } | undefined;
  readonly limits: {
    readonly loginPerMinute: number;
    readonly confirmPerMinute: number;
    readonly resendPerMinute: number;
    readonly sharePerMinute: number;
    readonly shareAddressesPerDay: number;
    readonly invitationsPerDay: number;
    readonly mailsPerAddressPerDay: number;
    readonly userCallsPerMinute: number;
    readonly tokenCallsPerMinute: number;
    readonly organizationCallsPerMinute: number;
    readonly deviceReportsPerSecond: number;
    readonly deviceReportsBurst: number;
    readonly organizationReportsPerSecond: number;
    readonly organizationReportsBurst: number;
    /** Records of reports on their way to the views; undefined: no limit. */
    readonly waitingReports: number | undefined;
  };
  readonly logOrigin: string | undefined;
  /** Path of a file. */
  readonly witnessPolicy: string | undefined;
  readonly logLevel: Values['logLevel'];
  readonly categoryIntervalSeconds: Readonly<Record<Category, number>>;
  /** Undefined: no limit but the disk. */
  readonly logMaxBytes: number | undefined;
}

/** Some ten seconds of what one process judges and projects. */
const EMBEDDED_WAITING_REPORTS = 160_000;

const BYTES_PER_MIB = 1_048_576;

/** Returns the configuration. @param values must have no problems with each other (`crossProblems`) */
export function assemble(values: Values, production: boolean): Config {
  const scheme = values.tlsCert === undefined ? 'http' : 'https';
  const publicUrl = values.publicUrl ?? `${scheme}://localhost:${values.port}`;
  return deepFreeze({
    port: values.port,
    host: values.host,
    dataDir: values.dataDir,
    store:
      values.kafkaBrokers === undefined || values.mongodbUrl === undefined
        ? { kind: 'embedded' }
        : { kind: 'cluster', kafka: kafkaOf(values, values.kafkaBrokers), mongodbUrl: values.mongodbUrl },
    demo: values.demo === 'on' && !production && values.kafkaBrokers === undefined,
    publicUrl,
    secret: values.secret,
    sessionKeyNumber: values.sessionKey,
    wallet:
      values.wallet === 'dev'
        ? { kind: 'dev' }
        : { kind: 'external', url: values.wallet, publicKey: values.walletPublicKey ?? '' },
    mail:
      values.mail === 'dev'
        ? { kind: 'dev' }
        : { kind: 'smtp', url: values.mail, from: values.mailFrom ?? defaultSender(publicUrl) },
    ledger: values.ledger === 'dev' ? { kind: 'dev' } : arcOf(values, values.ledger),
    network: values.network ?? 'main',
    headers: headersConfig(values),
    trustedProxies: values.trustedProxies ?? [],
    metricsFrom: values.metricsFrom,
    webhookPrivateTargets: values.webhookPrivateTargets,
    // Syslog is sent from the topic.
    noticesTopic: values.notices === 'on' || values.syslog !== undefined,
    syslog: syslogConfig(values),
    tls:
      values.tlsCert === undefined || values.tlsKey === undefined
        ? undefined
        : { certFile: values.tlsCert, keyFile: values.tlsKey },
    limits: limitsOf(values),
    logOrigin: values.logOrigin,
    witnessPolicy: values.witnessPolicy,
    logLevel: values.logLevel,
    categoryIntervalSeconds: {
      STANDARD: values.intervalStandard,
      ADVANCED: values.intervalAdvanced,
      MISSION_CRITICAL: values.intervalMissionCritical,
    },
    logMaxBytes: values.logMaxMib === 0 ? undefined : values.logMaxMib * BYTES_PER_MIB,
  });
}

function arcOf(values: Values, addresses: readonly LedgerAddress[]): Config['ledger'] {
  const { ledgerKey = [], ledgerCallbackUrl: callbackUrl, fundingKey = '' } = values;
  const endpoints = addresses.map((address, index) => ({ ...address, token: ledgerKey[index] || undefined }));
  return { kind: 'arc', endpoints, callbackUrl, fundingKey };
}

function kafkaOf(values: Values, brokers: readonly string[]): KafkaConnection {
  const sasl = saslOf(values);
  return {
    brokers,
    ...(values.kafkaTls === 'on' && { tls: kafkaTlsOf(values) }),
    ...(sasl !== undefined && { sasl }),
  };
}

function kafkaTlsOf(values: Values): true | KafkaTls {
  const { kafkaTlsCa: caFile, kafkaTlsCert: certFile, kafkaTlsKey: keyFile } = values;
  if (caFile === undefined && certFile === undefined) return true;
  return {
    ...(caFile !== undefined && { caFile }),
    ...(certFile !== undefined && keyFile !== undefined && { certFile, keyFile }),
  };
}

function saslOf(values: Values): KafkaSasl | undefined {
  const { kafkaSasl: mechanism, kafkaUsername: username, kafkaPassword: password } = values;
  if (mechanism === undefined || username === undefined || password === undefined) return undefined;
  if (mechanism !== 'oauthbearer') return { mechanism, username, password };
  const { kafkaTokenUrl: tokenUrl = '', kafkaTokenScope: scope } = values;
  return { mechanism, username, password, tokenUrl, ...(scope !== undefined && { scope }) };
}

/** Returns a sender at the host of the links in the mail; an IP address is written as in RFC 5321 4.1.3. */
function defaultSender(publicUrl: string): string {
  const { hostname } = new URL(publicUrl);
  const address = hostname.replace(/^\[|\]$/g, '');
  const version = isIP(address);
  const domain = version === 0 ? hostname : `[${version === 6 ? 'IPv6:' : ''}${address}]`;
  return `Sentinel Node <no-reply@${domain}>`;
}

function limitsOf(values: Values): Config['limits'] {
  return {
    loginPerMinute: values.limitLogin,
    confirmPerMinute: values.limitConfirm,
    resendPerMinute: values.limitResend,
    sharePerMinute: values.limitShare,
    shareAddressesPerDay: values.limitShareAddresses,
    invitationsPerDay: values.limitInvitations,
    mailsPerAddressPerDay: values.limitAddressMails,
    userCallsPerMinute: values.limitUserCalls,
    tokenCallsPerMinute: values.limitTokenCalls,
    organizationCallsPerMinute: values.limitOrganizationCalls,
    deviceReportsPerSecond: values.limitDeviceReports,
    deviceReportsBurst: values.limitDeviceBurst,
    organizationReportsPerSecond: values.limitOrganizationReports,
    organizationReportsBurst: values.limitOrganizationBurst,
    waitingReports: waitingReportsOf(values),
  };
}

function waitingReportsOf({ limitWaitingReports, kafkaBrokers }: Values): number | undefined {
  if (limitWaitingReports === 0) return undefined;
  return limitWaitingReports ?? (kafkaBrokers === undefined ? EMBEDDED_WAITING_REPORTS : undefined);
}

function deepFreeze<T extends object>(value: T): T {
  const members: unknown[] = Object.values(value);
  for (const member of members) if (typeof member === 'object' && member !== null) deepFreeze(member);
  return Object.freeze(value);
}
