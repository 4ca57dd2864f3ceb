/** The call reached no server, or no trusted one; the message says what happened and what to do. */
export class ConnectionError extends Error {}

const UNTRUSTED =
  "the authority of the server's certificate is not trusted here: give its certificate by --ca, if it is yours";
const NOT_ACCEPTED = 'the server does not accept the certificate of --cert: have it give you another';
const NEEDED = 'the server asks for a certificate: give --cert and --key';

/** Advice by error code of Node and OpenSSL. */
const ADVICE: Readonly<Record<string, string>> = {
  DEPTH_ZERO_SELF_SIGNED_CERT: UNTRUSTED,
  SELF_SIGNED_CERT_IN_CHAIN: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT: UNTRUSTED,
  UNABLE_TO_GET_ISSUER_CERT_LOCALLY: UNTRUSTED,
  UNABLE_TO_VERIFY_LEAF_SIGNATURE: UNTRUSTED,
  CERT_HAS_EXPIRED: "the server's certificate has ended, or this machine's clock is wrong",
  CERT_NOT_YET_VALID: "the server's certificate is not valid yet, or this machine's clock is wrong",
  ERR_TLS_CERT_ALTNAME_INVALID: "the server's certificate is for another name than its address has",
  ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED: NEEDED,
  ERR_SSL_TLSV1_ALERT_UNKNOWN_CA: NOT_ACCEPTED,
  ERR_SSL_SSLV3_ALERT_BAD_CERTIFICATE: NOT_ACCEPTED,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED: NOT_ACCEPTED,
  ERR_SSL_SSLV3_ALERT_CERTIFICATE_UNKNOWN: NOT_ACCEPTED,
};

/** Codes of a connection that the other side closed without an answer. */
const ENDED = new Set(['ECONNRESET', 'EPIPE', 'UND_ERR_SOCKET']);

/**
 * Returns the code of a failed connection, followed by advice when known.
 * @param secure whether the address uses https
 * @param shown whether a client certificate was given
 */
export function connectionAdvice(code: string, secure: boolean, shown: boolean): string {
  const advice = ADVICE[code] ?? (secure && ENDED.has(code) ? endedAdvice(shown) : undefined);
  return advice === undefined ? code : `${code}: ${advice}`;
}

/** Many servers close the connection when the client's certificate is missing or not accepted. */
const endedAdvice = (shown: boolean): string =>
  shown
    ? 'the server ended the connection; it may not accept the certificate of --cert'
    : 'the server ended the connection; it may ask for a certificate (--cert, --key)';

/** Message of undici, under a code of many meanings, when a proxy answers CONNECT with another status than 200. */
const PROXY_ANSWER = /^Proxy response \((\d{3})\)/;

/**
 * Returns what is to be said of a connection that failed through a proxy.
 * @param advice what `connectionAdvice` says @param message the error's @param variable the one that names the proxy
 */
export function proxyAdvice(advice: string, message: string, variable: string): string {
  const status = PROXY_ANSWER.exec(message)?.[1];
  if (status === undefined) return `${advice} (through the proxy of ${variable})`;
  const toDo =
    status === '407'
      ? 'it asks for a name and a password: http://NAME:PASSWORD@HOST:PORT'
      : 'have it allow the connection, or name the server in NO_PROXY';
  return `the proxy of ${variable} answers ${status} in the place of a connection: ${toDo}`;
}
