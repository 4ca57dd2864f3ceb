import { readFile } from 'node:fs/promises';
import { AgentConfigError, cannotRead } from '../config.ts';

/** How the agent gets to the server, beside the address in its configuration. */
export interface NetworkOptions {
  /** PEM file of authorities that are trusted beside the machine's. */
  readonly ca?: string | undefined;
  /** PEM files of the client's certificate and its key; both or none. */
  readonly cert?: string | undefined;
  readonly key?: string | undefined;
}

const PROXY_VARIABLES = ['HTTPS_PROXY', 'https_proxy', 'HTTP_PROXY', 'http_proxy'] as const;

/**
 * The `fetch` that the agent's calls use: Node's own, or one that goes through the proxy of `HTTPS_PROXY` and
 * `HTTP_PROXY` (except for `NO_PROXY`), with the given authorities and client certificate.
 * @throws AgentConfigError a file cannot be read, or a certificate comes without its key
 */
export async function networkFetch(
  options: NetworkOptions,
  env: NodeJS.ProcessEnv = process.env,
): Promise<typeof fetch> {
  const { ca, cert, key } = options;
  if ((cert === undefined) !== (key === undefined))
    throw new AgentConfigError('--cert and --key belong together: give both, or none');
  const proxied = PROXY_VARIABLES.some((name) => (env[name] ?? '') !== '');
  if (ca === undefined && cert === undefined && !proxied) return fetch;
  // Loaded only here: most agents need neither, and the package is larger than the agent.
  const [{ EnvHttpProxyAgent, fetch: fetchBy }, { rootCertificates }] = await Promise.all([
    import('undici'),
    import('node:tls'),
  ]);
  const tls = {
    ...(ca === undefined ? {} : { ca: [...rootCertificates, await pem('--ca', ca)] }),
    ...(cert === undefined || key === undefined
      ? {}
      : { cert: await pem('--cert', cert), key: await pem('--key', key) }),
  };
  const dispatcher = new EnvHttpProxyAgent({
    connect: tls,
    requestTls: tls,
    proxyTls: ca === undefined ? {} : { ca: tls.ca },
    httpProxy: env['http_proxy'] ?? env['HTTP_PROXY'] ?? '',
    httpsProxy: env['https_proxy'] ?? env['HTTPS_PROXY'] ?? '',
    noProxy: env['no_proxy'] ?? env['NO_PROXY'] ?? '',
  });
  // The package's own types of a request and an answer are those of the platform under other names.
  return ((url: string, init: object) => fetchBy(url, { ...init, dispatcher })) as unknown as typeof fetch;
}

async function pem(option: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new AgentConfigError(`${option}: ${cannotRead(file, error)}`);
  }
}
