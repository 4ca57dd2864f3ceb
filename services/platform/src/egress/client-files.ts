import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import type { ConnectionOptions } from 'node:tls';
import { ConfigError } from '../config/config-error.ts';

/** PEM files of a TLS client. */
export interface ClientFiles {
  readonly caFile?: string;
  readonly certFile?: string;
  readonly keyFile?: string;
}

/**
 * Returns the options of a TLS connection. The files are read for each client, so that the next connection uses a
 * renewed certificate.
 * @param prefix of the variables that name the files, for messages: `SENTINEL_KAFKA_TLS`
 * @throws ConfigError when a file has the wrong content, or key and certificate do not belong together; Error of
 * node:fs
 */
export function tlsOptions({ caFile, certFile, keyFile }: ClientFiles, prefix: string): ConnectionOptions {
  return {
    ...(caFile !== undefined && { ca: authorities(caFile, prefix) }),
    ...(certFile !== undefined && keyFile !== undefined && pair(certFile, keyFile, prefix)),
  };
}

function authorities(file: string, prefix: string): Buffer {
  const bytes = readFileSync(file);
  parsed(`${prefix}_CA`, 'no certificate', () => new X509Certificate(bytes));
  return bytes;
}

function pair(certFile: string, keyFile: string, prefix: string): { cert: Buffer; key: Buffer } {
  const [cert, key] = [readFileSync(certFile), readFileSync(keyFile)];
  const certificate = parsed(`${prefix}_CERT`, 'no certificate', () => new X509Certificate(cert));
  const privateKey = parsed(`${prefix}_KEY`, 'no private key', () => createPrivateKey(key));
  if (!certificate.checkPrivateKey(privateKey))
    throw problem(
      `${prefix}_KEY`,
      `is not the key of the certificate in ${prefix}_CERT; give both of one pair`,
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
