/** Member names whose values never reach a log. */
const SECRET_MEMBERS = [
  'authorization',
  'cookie',
  'set-cookie',
  'x-access-token',
  'x-api-key',
  'x-xsrf-token',
  'access_token',
  'accessToken',
  'apiKey',
  'token',
  'secret',
  'password',
  'signature',
  'fundingKey',
  'privateKey',
  'body',
];
/** Depth to which members are redacted, counted from the line itself. */
const DEPTH = 3;

export const REDACTED = '[redacted]';

/** Paths for pino: each member at each depth. */
export const REDACT_PATHS: string[] = SECRET_MEMBERS.flatMap((member) =>
  Array.from({ length: DEPTH }, (_, depth) => `${'*.'.repeat(depth).slice(0, -1)}["${member}"]`),
);

/** Patterns of secrets anywhere in a line, such as in the message of an error. */
const SECRET_SHAPES: readonly [RegExp, string][] = [
  [/sk1\.[\w-]{43}/g, REDACTED],
  // Tokens of programs and of enrolment.
  [/(?:sst1|enr1)\.[0-9a-f-]{36}\.[\w-]{43}/g, REDACTED],
  // Standard Webhooks.
  [/whsec_[\w+/=-]+/g, REDACTED],
  [/eyJ[\w-]{4,}\.[\w-]+\.[\w-]+/g, REDACTED],
  [/(access_token=)[^&\s"\\]+/g, `$1${REDACTED}`],
  [/(\w+:\/\/[^\s:/@"\\]+:)[^\s@"\\]+@/g, `$1${REDACTED}@`],
];

/** Returns the line without texts that look like a key, a token, a webhook's secret or a password in a URL. */
export function withoutSecrets(line: string): string {
  return SECRET_SHAPES.reduce((text, [shape, substitute]) => text.replace(shape, substitute), line);
}
