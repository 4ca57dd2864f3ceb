import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { ConfigError } from '../config/config-error.ts';
import type { Config } from '../config/config.ts';

/** Certificate and key of HTTPS, as read at the start. */
export interface Certificate {
  /** PEM: the certificate first, then the certificates up to its authority. */
  readonly chain: Buffer;
  /** PEM. */
  readonly key: Buffer;
  /** `notAfter` of the first certificate in milliseconds (RFC 5280 4.1.2.5). */
  readonly expiresAt: number;
}

/**
 * Reads the certificate. An expired certificate is served too, so that clients report the actual problem.
 * @throws ConfigError when the files do not belong together; Error of node:fs when a file cannot be read
 */
export async function readCertificate(files: NonNullable<Config['tls']>): Promise<Certificate> {
  const [chain, key] = await Promise.all([readFile(files.certFile), readFile(files.keyFile)]);
  const certificate = parsed(() => new X509Certificate(chain), 'SENTINEL_TLS_CERT', 'no certificate (PEM)');
  const privateKey = parsed(() => createPrivateKey(key), 'SENTINEL_TLS_KEY', 'no private key (PEM)');
  if (!certificate.checkPrivateKey(privateKey))
    throw problem('SENTINEL_TLS_KEY', 'is not the key of the certificate in SENTINEL_TLS_CERT');
  return { chain, key, expiresAt: Date.parse(certificate.validTo) };
}

function parsed<T>(parse: () => T, variable: string, what: string): T {
  try {
    return parse();
  } catch {
    throw problem(variable, `the file holds ${what}`);
  }
}

const problem = (variable: string, message: string) => new ConfigError([{ variable, message }]);
