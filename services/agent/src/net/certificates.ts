/** The agent's PEM files for TLS, read and checked once at the start. */
import { createPrivateKey, X509Certificate } from 'node:crypto';
import { readFile } from 'node:fs/promises';
import { cannotRead } from '../config.ts';
import { AgentConfigError } from '../config-error.ts';

const PEM_CERTIFICATE = /-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g;
/** Remaining life below which the agent warns of a certificate's end, in ms. */
const SOON_MS = 14 * 24 * 3_600_000;
const DAY_MS = 24 * 3_600_000;

export interface CertificateFile {
  readonly option: '--ca' | '--cert';
  readonly file: string;
  /** The file's PEM text. */
  readonly text: string;
  /** Earliest end of the file's certificates, in ms since 1970. */
  readonly endsAtMs: number;
  /** When the file serves no longer: one certificate of `--cert` suffices for its end, `--ca` can have others left. */
  readonly goodUntilMs: number;
}

/**
 * Reads a file of certificates. @throws AgentConfigError the file cannot be read or holds no valid certificates (PEM)
 */
export async function readCertificates(
  option: CertificateFile['option'],
  file: string,
): Promise<CertificateFile> {
  const text = await readPem(option, file);
  const ends = certificatesIn(text).map((certificate) => Date.parse(certificate?.validTo ?? ''));
  if (ends.length === 0 || ends.some(Number.isNaN))
    throw new AgentConfigError(`${option}: ${file} holds no certificate (PEM), or a broken one`);
  const endsAtMs = Math.min(...ends);
  return { option, file, text, endsAtMs, goodUntilMs: option === '--ca' ? Math.max(...ends) : endsAtMs };
}

/**
 * Reads the private key of `certificate`.
 * @throws AgentConfigError the file cannot be read, holds no key (PEM), or another certificate's key
 */
export async function readKeyOf(certificate: CertificateFile, file: string): Promise<string> {
  const text = await readPem('--key', file);
  const [first] = certificatesIn(certificate.text);
  const key = parsed(() => createPrivateKey(text));
  if (key === undefined)
    throw new AgentConfigError(`--key: ${file} holds no private key (PEM), or one with a password`);
  if (first?.checkPrivateKey(key) !== true)
    throw new AgentConfigError(`--key: ${file} is not the key of the certificate in ${certificate.file}`);
  return text;
}

/** Returns whether the certificates have ended or end soon, with a sentence for the operator. */
export function certificateExpiry(
  { endsAtMs, goodUntilMs }: Pick<CertificateFile, 'endsAtMs' | 'goodUntilMs'>,
  nowMs: number,
): { readonly state: 'good' | 'soon' | 'ended'; readonly said: string } {
  const date = new Date(endsAtMs).toISOString();
  if (endsAtMs <= nowMs && goodUntilMs > nowMs)
    return {
      state: 'soon',
      said: `holds a certificate that ended at ${date}: remove it, or have a new one made`,
    };
  if (endsAtMs <= nowMs) return { state: 'ended', said: `ended at ${date}: have a new one made` };
  const days = Math.floor((endsAtMs - nowMs) / DAY_MS);
  return endsAtMs - nowMs < SOON_MS
    ? { state: 'soon', said: `ends in ${days} days, at ${date}: have a new one made` }
    : { state: 'good', said: `good until ${date}` };
}

/** Returns the certificates of a PEM text, with undefined for an unreadable one. */
const certificatesIn = (text: string): (X509Certificate | undefined)[] =>
  (text.match(PEM_CERTIFICATE) ?? []).map((pem) => parsed(() => new X509Certificate(pem)));

function parsed<T>(parse: () => T): T | undefined {
  try {
    return parse();
  } catch {
    return undefined;
  }
}

async function readPem(option: string, file: string): Promise<string> {
  try {
    return await readFile(file, 'utf8');
  } catch (error) {
    throw new AgentConfigError(`${option}: ${cannotRead(file, error)}`);
  }
}
