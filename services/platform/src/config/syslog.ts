/** `SENTINEL_SYSLOG…`: where notices go as syslog messages. */
import type { ConfigProblem } from './config-error.ts';
import type { Parser } from './parsers.ts';
import type { Values } from './variables.ts';

export interface SyslogAddress {
  readonly host: string;
  readonly port: number;
}

export interface SyslogConfig extends SyslogAddress {
  /** PEM files; absent: the runtime's authorities, no certificate of this side. */
  readonly tls: { readonly caFile?: string; readonly certFile?: string; readonly keyFile?: string };
  /** RFC 5424, 6.2.1: from 0 to 23. */
  readonly facility: number;
  /** RFC 5424, 6.3.2: `name@private enterprise number`. */
  readonly sdId: string;
  /** Longest message, without the count before it. */
  readonly maxBytes: number;
}

/** Of RFC 5425, 4.1. */
const DEFAULT_PORT = 6_514;
const LOCAL_0 = 16;
const LOCALS = 8;

/** `tls://host[:port]`. Plain TCP and UDP are not offered: messages name devices, paths and people. */
export const syslogAddress: Parser<SyslogAddress> = (text) => {
  const parsed = URL.canParse(text) ? new URL(text) : undefined;
  const isPlain =
    parsed !== undefined &&
    parsed.protocol === 'tls:' &&
    parsed.hostname !== '' &&
    parsed.username + parsed.password + parsed.search + parsed.hash === '' &&
    ['', '/'].includes(parsed.pathname);
  if (!isPlain || parsed.port === '0')
    return { problem: 'give tls://, a host and perhaps a port: tls://siem.example.org:6514' };
  const port = parsed.port === '' ? DEFAULT_PORT : Number(parsed.port);
  return { value: { host: parsed.hostname.replace(/^\[|\]$/g, ''), port } };
};

/** Facilities that fit a program of this kind (RFC 5424, table 1). */
const NAMED: ReadonlyMap<string, number> = new Map([
  ['user', 1],
  ['daemon', 3],
  ['auth', 4],
  ['authpriv', 10],
  ['audit', 13],
  ['alert', 14],
]);

export const syslogFacility: Parser<number> = (text) => {
  const local = /^local([0-7])$/.exec(text)?.[1];
  const value = local === undefined ? NAMED.get(text) : LOCAL_0 + Number(local);
  return value === undefined
    ? { problem: `give ${[...NAMED.keys()].join(', ')}, or local0 to local${LOCALS - 1}` }
    : { value };
};

/** `name@number`: at most 32 characters, none of them a blank, `=`, `]` or a double quote (RFC 5424, 6.3.2). */
export const structuredDataId: Parser<string> = (text) =>
  /^[!#-<>-?A-\\^-~]{1,20}@\d{1,10}(\.\d{1,10})*$/.test(text) && text.length <= 32
    ? { value: text }
    : { problem: 'give a name, @ and your private enterprise number: sentinel@32473' };

/** @returns undefined: no syslog */
export function syslogConfig(values: Values): SyslogConfig | undefined {
  const { syslog, syslogTlsCa, syslogTlsCert, syslogTlsKey, syslogFacility, syslogSdId, syslogMaxBytes } =
    values;
  if (syslog === undefined) return undefined;
  return {
    ...syslog,
    tls: {
      ...(syslogTlsCa !== undefined && { caFile: syslogTlsCa }),
      ...(syslogTlsCert !== undefined && { certFile: syslogTlsCert }),
      ...(syslogTlsKey !== undefined && { keyFile: syslogTlsKey }),
    },
    facility: syslogFacility,
    sdId: syslogSdId,
    maxBytes: syslogMaxBytes,
  };
}

const MAIN = 'SENTINEL_SYSLOG';
const PAIR = ['SENTINEL_SYSLOG_TLS_CERT', 'SENTINEL_SYSLOG_TLS_KEY'] as const;

/** Settings that belong together, and those without effect. */
export function syslogProblems(given: ReadonlySet<string>): ConfigProblem[] {
  if (!given.has(MAIN))
    return [...given]
      .filter((variable) => variable.startsWith(`${MAIN}_`))
      .map((variable) => ({ variable, message: `says nothing without ${MAIN}` }));
  if (given.has(PAIR[0]) === given.has(PAIR[1])) return [];
  const [there, missing] = given.has(PAIR[0]) ? PAIR : [PAIR[1], PAIR[0]];
  return [{ variable: missing, message: `is needed because ${there} is set; give both or none` }];
}
