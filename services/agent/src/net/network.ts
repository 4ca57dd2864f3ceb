import { readFile } from 'node:fs/promises';
import { codeOf, messageOf } from '@sentinel-node/contracts/thrown';
import { AgentConfigError } from '../config-error.ts';
import { readCertificates, readKeyOf, type CertificateFile } from './certificates.ts';
import { connectionAdvice, ConnectionError, proxyAdvice } from './connection-advice.ts';
import { proxiesIn, proxyFor, type Proxies, type Proxy } from './proxies.ts';

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

/** Most causes below one another that are looked at. */
const CAUSES = 3;

interface Tls {
  readonly authorities: CertificateFile | undefined;
  readonly own: { readonly certificate: CertificateFile; readonly key: string } | undefined;
}

/**
 * Returns the agent's `fetch`: Node's own, or one with the given authorities and client certificate that uses the proxy
 * of `HTTPS_PROXY` and `HTTP_PROXY` (except for `NO_PROXY`).
 * @throws AgentConfigError a file or a proxy's address cannot be used, or a certificate comes without its key
 */
export async function openNetwork(
  options: NetworkOptions,
  env: NodeJS.ProcessEnv = process.env,
): Promise<Network> {
  const tls = await readTls(options);
  const proxies = proxiesIn(env);
  const certificates = [tls.authorities, tls.own?.certificate].filter((one) => one !== undefined);
  const plain = certificates.length === 0 && proxies.ofHttp === undefined && proxies.ofHttps === undefined;
  const fetchBy = plain ? fetch : await fetchThrough(tls, proxies, env['NODE_EXTRA_CA_CERTS']);
  return { fetch: explained(fetchBy, tls.own !== undefined, proxies), certificates };
}

async function readTls({ ca, cert, key }: NetworkOptions): Promise<Tls> {
  const authorities = ca === undefined ? undefined : await readCertificates('--ca', ca);
  if (cert === undefined && key === undefined) return { authorities, own: undefined };
  if (cert === undefined || key === undefined)
    throw new AgentConfigError('--cert and --key belong together: give both, or none');
  const certificate = await readCertificates('--cert', cert);
  return { authorities, own: { certificate, key: await readKeyOf(certificate, key) } };
}

/** @param extraFile PEM file of authorities that Node takes beside its own, and leaves out where others are given */
async function fetchThrough(
  { authorities, own }: Tls,
  proxies: Proxies,
  extraFile: string | undefined,
): Promise<typeof fetch> {
  // Load undici only here: most agents do not need it, and the package is larger than the agent.
  const [{ Agent, ProxyAgent, fetch: fetchBy }, { rootCertificates }] = await Promise.all([
    import('undici'),
    import('node:tls'),
  ]);
  // Node warns of a file that cannot be read.
  const extra = await readFile(extraFile ?? '', 'utf8').catch(() => '');
  const usual = extra === '' ? rootCertificates : [...rootCertificates, extra];
  const trusted = authorities === undefined ? {} : { ca: [...usual, authorities.text] };
  const tls = { ...trusted, ...(own === undefined ? {} : { cert: own.certificate.text, key: own.key }) };
  const direct = new Agent({ connect: tls });
  const byProxy = new Map<Proxy, InstanceType<typeof ProxyAgent>>();
  for (const proxy of [proxies.ofHttp, proxies.ofHttps])
    if (proxy !== undefined)
      byProxy.set(proxy, new ProxyAgent({ uri: proxy.address, requestTls: tls, proxyTls: trusted }));
  const dispatcherFor = (url: string) => {
    const proxy = proxyFor(new URL(url), proxies);
    return (proxy === undefined ? undefined : byProxy.get(proxy)) ?? direct;
  };
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- its types of a request and an answer are the platform's under other names
  return ((url: string, init: object) =>
    fetchBy(url, { ...init, dispatcher: dispatcherFor(url) })) as unknown as typeof fetch;
}

function explained(fetchBy: typeof fetch, shown: boolean, proxies: Proxies): typeof fetch {
  return async (input, init) => {
    try {
      return await fetchBy(input, init);
    } catch (error) {
      const known = causesOf(error).find((cause) => codeOf(cause) !== undefined);
      const code = codeOf(known);
      if (code === undefined) throw error;
      const url = new URL(input instanceof Request ? input.url : input);
      const variable = proxyFor(url, proxies)?.variable;
      const advice = connectionAdvice(code, url.protocol === 'https:', shown);
      const said = variable === undefined ? advice : proxyAdvice(advice, messageOf(known), variable);
      throw new ConnectionError(said, { cause: error });
    }
  };
}

/** Returns the causes of an error: undici puts the answer of a proxy two below. */
function causesOf(error: unknown): unknown[] {
  const causes: unknown[] = [];
  for (let at = error; at instanceof Error && causes.length < CAUSES; at = at.cause) causes.push(at.cause);
  return causes;
}
