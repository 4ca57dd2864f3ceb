import type { ConfigProblem } from './config-error.ts';
import { headersProblems } from './headers-source.ts';
import { isLoopback } from './loopback.ts';
import { syslogProblems } from './syslog.ts';
import type { ServiceName, Values } from './variables.ts';

const DEVELOPMENT_PARTS = [
  { key: 'wallet', variable: 'SENTINEL_WALLET', service: 'query', instead: 'the URL of your wallet' },
  {
    key: 'mail',
    variable: 'SENTINEL_MAIL',
    service: 'query',
    instead: 'the smtp:// URL of your mail server',
  },
  { key: 'ledger', variable: 'SENTINEL_LEDGER', service: 'anchoring', instead: 'the URL of an ARC service' },
] as const;

/**
 * Returns problems between variables: variables that need, or exclude, one another.
 * @param given names of the variables that the environment holds
 */
export function crossProblems(
  values: Partial<Values>,
  services: readonly ServiceName[],
  production: boolean,
  given: ReadonlySet<string>,
): ConfigProblem[] {
  return [
    ...clusterProblems(values, services, given),
    ...developmentProblems(values, services, production),
    // Only the service that uses a key needs the key: the other services of a deployment know the URL, not the
    // secret.
    ...(services.includes('query')
      ? needed(values, 'walletPublicKey', 'SENTINEL_WALLET_PUBLIC_KEY', 'wallet', 'SENTINEL_WALLET')
      : []),
    ...(services.includes('anchoring')
      ? [
          ...needed(values, 'fundingKey', 'SENTINEL_FUNDING_KEY', 'ledger', 'SENTINEL_LEDGER'),
          ...needed(values, 'headers', 'SENTINEL_HEADERS', 'ledger', 'SENTINEL_LEDGER'),
        ]
      : []),
    ...headersProblems(values, given),
    ...ledgerKeyProblems(values),
    ...kafkaProblems(values, given),
    ...tlsProblems(values),
    ...syslogProblems(given),
  ];
}

function developmentProblems(
  values: Partial<Values>,
  services: readonly ServiceName[],
  production: boolean,
): ConfigProblem[] {
  const active = DEVELOPMENT_PARTS.filter(
    ({ key, service }) => values[key] === 'dev' && services.includes(service),
  );
  if (production) {
    return active.map(({ variable, instead }) => ({
      variable,
      message: `the development part never runs with NODE_ENV=production; give ${instead}`,
    }));
  }
  const { host, devExposed } = values;
  if (active.length === 0 || host === undefined || isLoopback(host) || devExposed !== 'no') return [];
  const parts = active.map(({ key }) => key).join(', ');
  return [
    {
      variable: 'SENTINEL_HOST',
      message: `${host} lets others reach the development parts (${parts}), with which anyone can sign in as anyone; set SENTINEL_DEV_EXPOSED=yes if you want that, or listen on 127.0.0.1`,
    },
  ];
}

const BROKERS = 'SENTINEL_KAFKA_BROKERS';
const MONGODB = 'SENTINEL_MONGODB_URL';

/**
 * Returns problems of a cluster's settings: brokers and MongoDB are set together, and only the embedded store has
 * defaults for the secret and the development parts.
 */
function clusterProblems(
  values: Partial<Values>,
  services: readonly ServiceName[],
  given: ReadonlySet<string>,
): ConfigProblem[] {
  if (!given.has(BROKERS) && !given.has(MONGODB)) return [];
  const by = given.has(BROKERS) ? BROKERS : MONGODB;
  const problems: ConfigProblem[] = [BROKERS, MONGODB]
    .filter((variable) => !given.has(variable))
    .map((variable) => ({ variable, message: `is needed because ${by} is set; give both or none` }));
  if (!given.has('SENTINEL_SECRET'))
    problems.push({
      variable: 'SENTINEL_SECRET',
      message: `is needed because ${by} is set; give at least 32 random characters`,
    });
  for (const { key, variable, service, instead } of DEVELOPMENT_PARTS) {
    if (values[key] === 'dev' && services.includes(service) && !given.has(variable))
      problems.push({ variable, message: `is needed because ${by} is set; give ${instead}, or dev` });
  }
  return problems;
}

function needed(
  values: Partial<Values>,
  key: 'walletPublicKey' | 'fundingKey' | 'headers',
  variable: string,
  byKey: 'wallet' | 'ledger',
  byVariable: string,
): ConfigProblem[] {
  const by = values[byKey];
  // A wrong key is not among `values` and has its own problem already.
  if (by === undefined || by === 'dev' || !(key in values) || values[key] !== undefined) return [];
  return [{ variable, message: `is needed because ${byVariable} is a URL` }];
}

const SIGN_IN = ['SENTINEL_KAFKA_SASL', 'SENTINEL_KAFKA_USERNAME', 'SENTINEL_KAFKA_PASSWORD'];

const TOKENS = ['SENTINEL_KAFKA_TOKEN_URL', 'SENTINEL_KAFKA_TOKEN_SCOPE'] as const;
const CLIENT_PAIR = ['SENTINEL_KAFKA_TLS_CERT', 'SENTINEL_KAFKA_TLS_KEY'] as const;

/** Returns problems of Kafka settings: settings that belong together, and settings that have no effect. */
function kafkaProblems(values: Partial<Values>, given: ReadonlySet<string>): ConfigProblem[] {
  return [
    ...kafkaSignInProblems(values, given),
    ...kafkaTokenProblems(values, given),
    ...kafkaTlsProblems(values, given),
  ];
}

function kafkaTokenProblems({ kafkaSasl }: Partial<Values>, given: ReadonlySet<string>): ConfigProblem[] {
  const [url] = TOKENS;
  if (kafkaSasl === 'oauthbearer')
    return given.has(url)
      ? []
      : [{ variable: url, message: 'is needed because SENTINEL_KAFKA_SASL is oauthbearer' }];
  return TOKENS.filter((variable) => given.has(variable)).map((variable) => ({
    variable,
    message: 'says nothing without SENTINEL_KAFKA_SASL=oauthbearer',
  }));
}

function kafkaTlsProblems({ kafkaTls }: Partial<Values>, given: ReadonlySet<string>): ConfigProblem[] {
  const [cert, key] = CLIENT_PAIR;
  const files = ['SENTINEL_KAFKA_TLS_CA', cert, key].filter((variable) => given.has(variable));
  if (kafkaTls === 'off')
    return files.map((variable) => ({ variable, message: 'says nothing without SENTINEL_KAFKA_TLS=on' }));
  if (given.has(cert) === given.has(key)) return [];
  const [there, missing] = given.has(cert) ? [cert, key] : [key, cert];
  return [{ variable: missing, message: `is needed because ${there} is set; give both or none` }];
}

function kafkaSignInProblems({ kafkaTls }: Partial<Values>, given: ReadonlySet<string>): ConfigProblem[] {
  const [some] = SIGN_IN.filter((variable) => given.has(variable));
  const unheard = given.has(BROKERS)
    ? []
    : [...(kafkaTls === 'on' ? ['SENTINEL_KAFKA_TLS'] : []), ...(some === undefined ? [] : [some])];
  const missing = some === undefined ? [] : SIGN_IN.filter((variable) => !given.has(variable));
  return [
    ...unheard.map((variable) => ({ variable, message: `says nothing without ${BROKERS}` })),
    ...missing.map((variable) => ({ variable, message: `is needed because ${some} is set` })),
  ];
}

/** Requires as many keys as services, so that no service receives another service's key. */
function ledgerKeyProblems({ ledger, ledgerKey }: Partial<Values>): ConfigProblem[] {
  if (ledger === undefined || ledger === 'dev' || ledgerKey === undefined) return [];
  if (ledgerKey.length === ledger.length) return [];
  const message = `give as many keys as SENTINEL_LEDGER has services (${ledger.length}), with commas between`;
  return [{ variable: 'SENTINEL_LEDGER_KEY', message }];
}

function tlsProblems(values: Partial<Values>): ConfigProblem[] {
  const missing = (variable: string, other: string) => [
    { variable, message: `is needed because ${other} is set; give both or none` },
  ];
  if (values.tlsCert !== undefined && values.tlsKey === undefined)
    return missing('SENTINEL_TLS_KEY', 'SENTINEL_TLS_CERT');
  if (values.tlsKey !== undefined && values.tlsCert === undefined)
    return missing('SENTINEL_TLS_CERT', 'SENTINEL_TLS_KEY');
  return [];
}
