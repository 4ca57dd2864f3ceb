import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { ConfigError } from '../config/config-error.ts';
import type { KafkaTls } from './options.ts';

/**
 * Returns the options of a TLS connection to a broker. The files are read for each client, so that the next
 * connection uses a renewed certificate.
 * @throws ConfigError when a file has the wrong content, or key and certificate do not belong together; Error of
 * node:fs
 */
export function tlsOptions(tls: boolean | KafkaTls): boolean | ConnectionOptions {
  if (typeof tls === 'boolean') return tls;
  const { caFile, certFile, keyFile } = tls;
  return {
    ...(caFile !== undefined && { ca: authorities(caFile) }),
    ...(certFile !== undefined && keyFile !== undefined && pair(certFile, keyFile)),
  };
}

function authorities(file: string): Buffer {
  const bytes = readFileSync(file);
  parsed('SENTINEL_KAFKA_TLS_CA', 'no certificate', () => new X509Certificate(bytes));
  return bytes;
}

function pair(certFile: string, keyFile: string): { cert: Buffer; key: Buffer } {
  const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)];
  const certificate = parsed('SENTINEL_KAFKA_TLS_CERT', 'no certificate', () => new X509Certificate(cert));
  const privateKey = parsed('SENTINEL_KAFKA_TLS_KEY', 'no private key', () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey))
    throw problem(
      'SENTINEL_KAFKA_TLS_KEY',
      'is not the key of the certificate in SENTINEL_KAFKA_TLS_CERT; give both of one pair',
    );
  return { cert, key };
}

function parsed<T>(variable: string, lack: string, parse: () => T): T {
  try {
    return parse();
  } catch {
    throw problem(variable, `the file holds ${lack} (PEM)`);
  }
}

const problem = (variable: string, message: string) => new ConfigError([{ variable, message }]);

/** Returns the subject in the form in which a broker names the user: RFC 2253, the last part first. */
export function subjectOf(certFile: string): string {
  return new X509Certificate(readFileSync(certFile)).subject.split('\n').reverse().join(',');
}
