import { messageOf } from '@sentinel-node/contracts/thrown';
import type { KafkaConfig, Mechanism, SASLOptions } from 'kafkajs';
import { SignInRefusedError } from './errors.ts';
import type { KafkaOauth, KafkaSasl } from './options.ts';

/** New connections use a token only in this first part of its life, so that it does not expire on them. */
const USED_PART = 0.8;
/**
 * Milliseconds of life that a new connection needs: kafkajs signs in again ten seconds before a session ends, and at
 * every request when less is left.
 */
const LEFT_MS = 15_000;
/** Assumed life of a token when the endpoint does not state it (RFC 6749 5.1). */
const UNSAID_SECONDS = 300;
const ANSWER_TIMEOUT_MS = 8_000;
const SHOWN_CHARACTERS = 200;
/** Separator between the parts of a client's message (RFC 7628 3.1). */
const SEPARATOR = '\u0001';
const LENGTH_BYTES = 4;

interface Token {
  readonly value: string;
  /** Milliseconds since the Unix epoch. */
  readonly usedUntil: number;
}

/** Gets the tokens of one client by its credentials (RFC 6749 4.4). */
class TokenSource {
  readonly #oauth: KafkaOauth;
  #token: Promise<Token> | undefined;
  #usedUntil = 0;

  constructor(oauth: KafkaOauth) {
    this.#oauth = oauth;
  }

  /**
   * Returns a valid token.
   * @throws SignInRefusedError when the endpoint refuses the client; Error when it does not answer
   */
  async value(): Promise<string> {
    if (this.#token === undefined || Date.now() >= this.#usedUntil) {
      // All callers share this request until the endpoint answers.
      this.#usedUntil = Infinity;
      this.#token = this.#ask();
    }
    const asked = this.#token;
    try {
      const token = await asked;
      if (this.#token === asked) this.#usedUntil = token.usedUntil;
      return token.value;
    } catch (error) {
      this.forget(asked);
      throw error;
    }
  }

  /** Drops the token, so that the next connection requests another. */
  forget(token = this.#token): void {
    if (this.#token === token) this.#token = undefined;
  }

  async #ask(): Promise<Token> {
    const { tokenUrl, username, password, scope } = this.#oauth;
    const body = new URLSearchParams({ grant_type: 'client_credentials', ...(scope && { scope }) });
    const asked = Date.now();
    const answer = await fetch(tokenUrl, {
      method: 'POST',
      body,
      redirect: 'error',
      headers: { accept: 'application/json', authorization: basic(username, password) },
      signal: AbortSignal.timeout(ANSWER_TIMEOUT_MS),
    }).catch((cause: unknown) => {
      throw new Error(`the token endpoint ${tokenUrl} does not answer: ${reason(cause)}`);
    });
    const text = await answer.text();
    if (answer.status >= 400 && answer.status < 500 && answer.status !== 429)
      throw new SignInRefusedError(
        `the token endpoint ${tokenUrl} refuses the client ${username}: ${answer.status} ${shown(text)}; look at SENTINEL_KAFKA_USERNAME, SENTINEL_KAFKA_PASSWORD and SENTINEL_KAFKA_TOKEN_SCOPE`,
      );
    if (!answer.ok) throw new Error(`the token endpoint ${tokenUrl} answers ${answer.status} ${shown(text)}`);
    const { value, seconds } = tokenOf(text, tokenUrl);
    const lifeMs = seconds * 1_000;
    return { value, usedUntil: asked + Math.min(lifeMs * USED_PART, lifeMs - LEFT_MS) };
  }
}

/** Returns the credentials as in RFC 6749 2.3.1. */
function basic(id: string, secret: string): string {
  const pair = [id, secret].map((part) => encodeURIComponent(part).replaceAll('%20', '+')).join(':');
  return `Basic ${Buffer.from(pair).toString('base64')}`;
}

function tokenOf(text: string, url: string): { value: string; seconds: number } {
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    throw new Error(`the token endpoint ${url} answers something else than JSON`);
  }
  const { access_token: value, expires_in: given = UNSAID_SECONDS } = Object(answer) as Record<
    string,
    unknown
  >;
  const seconds = Number(given);
  // A token from outside must not contain the separator of the sign-in.
  if (typeof value !== 'string' || !/^[\x21-\x7e]+$/.test(value) || !(seconds > 0))
    throw new Error(`the token endpoint ${url} answers without a usable access_token`);
  return { value, seconds };
}

/** Returns the endpoint's words in one short line; an error of OAuth is one line of JSON, never a token. */
function shown(text: string): string {
  return text.slice(0, SHOWN_CHARACTERS).replaceAll(/\s+/g, ' ');
}

function reason(error: unknown): string {
  return messageOf(error instanceof Error ? (error.cause ?? error) : error);
}

/** All clients of one configuration share its tokens. */
const sources = new WeakMap<KafkaOauth, TokenSource>();

function sourceOf(oauth: KafkaOauth): TokenSource {
  const source = sources.get(oauth) ?? new TokenSource(oauth);
  sources.set(oauth, source);
  return source;
}

/** Returns the options with which kafkajs signs in. */
export function saslOptions(sasl: KafkaSasl): NonNullable<KafkaConfig['sasl']> {
  if (sasl.mechanism !== 'oauthbearer') return { ...sasl } as SASLOptions;
  const source = sourceOf(sasl);
  const mechanism: Mechanism = {
    mechanism: 'oauthbearer',
    authenticationProvider: ({ saslAuthenticate }) => ({
      authenticate: async () => {
        const token = await source.value();
        const message = `n,,${SEPARATOR}auth=Bearer ${token}${SEPARATOR}${SEPARATOR}`;
        try {
          await saslAuthenticate({
            request: { encode: () => lengthBefore(Buffer.from(message)) },
            response: { decode: (answer: Buffer) => answer.subarray(LENGTH_BYTES), parse: refusalIn },
          });
        } catch (error) {
          source.forget();
          throw error;
        }
      },
    }),
  };
  return mechanism;
}

/** Returns the bytes after their length, as the protocol writes them. */
function lengthBefore(bytes: Buffer): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeInt32BE(bytes.length);
  return Buffer.concat([length, bytes]);
}

/**
 * Throws when the broker refused the token. A broker then answers with a text (RFC 7628 3.2.2) and waits for one more
 * message; kafkajs's own provider treats the text as success, and then no request gets an answer.
 */
function refusalIn(answer: Buffer): void {
  const text = answer.toString().trim();
  if (text !== '') throw new SignInRefusedError(`the broker refuses the token: ${shown(text)}`);
}
