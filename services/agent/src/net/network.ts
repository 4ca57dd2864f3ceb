import { codeOf } from '@sentinel-node/contracts/thrown';
import { AgentConfigError } from '../config.ts';
import { readCertificates, readKeyOf, type CertificateFile } from './certificates.ts';
import { connectionAdvice, ConnectionError } from './connection-advice.ts';

/** Files for the agent's TLS connection to the server. */
export interface NetworkOptions {
  /** PEM file of authorities, trusted in addition to Node's. */
  readonly ca?: string | undefined;
  /** PEM files of the client's certificate and its key; both or none. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

export interface Network {
  /** Node's fetch, which throws ConnectionError instead of an error whose cause has a code. */
  readonly fetch: typeof fetch;
  /** The certificates of --ca and --cert. */
  readonly certificates: readonly CertificateFile[];
}

interface Tls {
  readonly authorities: CertificateFile | undefined;
  readonly own: { readonly certificate: CertificateFile; readonly key: string } | undefined;
}

const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'] as const;

/**
 * Returns the agent's `fetch`: Node's own, or one with the given authorities and client certificate that uses the proxy
 * of `HTTPS_PROXY` and `HTTP_PROXY` (except for `NO_PROXY`).
 * @throws AgentConfigError a file cannot be used, or a certificate comes without its key
 */
export async function openNetwork(
  options: NetworkOptions,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Network> {
  const tls = await readTls(options);
  const proxied = PROXY_VARIABLES.some((name) => (env[name] ?? '') !== '');
  const certificates = [tls.authorities, tls.own?.certificate].filter((one) => one !== undefined);
  const plain = certificates.length === 0 && !proxied;
  const fetchBy = plain ? fetch : await fetchThrough(tls, env);
  return { fetch: explained(fetchBy, tls.own !== undefined), certificates };
}

async function readTls({ ca, cert, key }: NetworkOptions): Promise<Tls> {
  const authorities = ca === undefined ? undefined : await readCertificates('--ca', ca);
  if (cert === undefined && key === undefined) return { authorities, own: undefined };
  if (cert === undefined || key === undefined)
    throw new AgentConfigError('--cert and --key belong together: give both, or none');
  const certificate = await readCertificates('--cert', cert);
  return { authorities, own: { certificate, key: await readKeyOf(certificate, key) } };
}

async function fetchThrough({ authorities, own }: Tls, env: NodeJS.ProcessEnv): Promise<typeof fetch> {
  // Load undici only here: most agents do not need it, and the package is larger than the agent.
  const [{ EnvHttpProxyAgent, fetch: fetchBy }, { rootCertificates }] = await Promise.all([
    import('undici'),
    import('node:tls'),
  ]);
  const trusted = authorities === undefined ? {} : { ca: [...rootCertificates, authorities.text] };
  const tls = { ...trusted, ...(own === undefined ? {} : { cert: own.certificate.text, key: own.key }) };
  const dispatcher = new EnvHttpProxyAgent({
    connect: tls,
    requestTls: tls,
    proxyTls: trusted,
    httpProxy: env['http_proxy'] ?? env['HTTP_PROXY'] ?? '',
    httpsProxy: env['https_proxy'] ?? env['HTTPS_PROXY'] ?? '',
    noProxy: env['no_proxy'] ?? env['NO_PROXY'] ?? '',
  });
  // eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- its types of a request and an answer are the platform's under other names
  return ((url: string, init: object) => fetchBy(url, { ...init, dispatcher })) as unknown as typeof fetch;
}

function explained(fetchBy: typeof fetch, shown: boolean): typeof fetch {
  return async (input, init) => {
    try {
      return await fetchBy(input, init);
    } catch (error) {
      const code = codeOf(error instanceof Error ? error.cause : undefined);
      if (code === undefined) throw error;
      const secure = new URL(input instanceof Request ? input.url : input).protocol === 'https:';
      throw new ConnectionError(connectionAdvice(code, secure, shown), { cause: error });
    }
  };
}
