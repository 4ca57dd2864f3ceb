import { isReadable, ProblemSchema, readAnswer, type Readable } from '@sentinel-node/contracts';
import type { Static, TSchema } from 'typebox';
import { isRecord } from '../narrow.ts';
import { ApiError, codeOf, isCode, mayBeDone, MissingParameterError } from './errors.ts';

/** The outcome of a change; `unknown` when it may be made all the same. */
export type Answer = 'made' | 'refused' | 'unknown';

export interface HttpOptions {
  /** `/api/v1`, or an absolute URL that ends in it. */
  base: string;
  token: () => string | null;
  /** Takes the headers of each answer. */
  heard?: (headers: Headers) => void;
  /** Called once for every 401 of a call that carried the given token, but not for one that ends the session itself. */
  unauthorized: (token: string) => void;
  /** Hears of each call that may change something; the returned function hears what came of it. */
  changing?: () => (answer: Answer) => void;
}

export type Query = Record<string, string | number | boolean | undefined>;

export interface Call<S extends TSchema> {
  name: string;
  method?: 'GET' | 'POST' | 'PUT' | 'DELETE';
  /** The call changes nothing, whatever its method. */
  isRead?: boolean;
  /** Path template such as `/alerts/{orgId}`; `params` gives the values. */
  path: string;
  params?: Record<string, string | null | undefined>;
  query?: Query;
  body?: unknown;
  /** Name of a required parameter: `body` for the whole body, another name for a member of the body. */
  bodyName?: string;
  /** Tag of the state that the call may change; another state is refused with STALE. */
  ifMatch?: string | undefined;
  answer: S;
  /** The answer is a document for others: it is given as it came, also with members that the schema does not know. */
  isDocument?: boolean;
  /** Converts the specification's other spellings of an answer before the check. */
  read?: (body: unknown) => unknown;
  signal?: AbortSignal;
  /** Token in place of that of the session. */
  token?: string;
  /** The call ends the session: a 401 says that it has ended, which only the caller hears. */
  endsSession?: boolean;
}

export interface Http {
  call<S extends TSchema>(call: Call<S>): Promise<Readable<Static<S>>>;
  /** Returns the unchecked answer, for downloads. */
  download(call: Sent, accept: string): Promise<Blob>;
}

/**
 * Longest wait for the whole answer to a read: longer than services wait for their stores (20 s), so that their own answer
 * arrives. A change has none: giving it up would leave unknown what came of it.
 */
const READ_MS = 45_000;
/** Longest wait that is taken from a server. */
const RETRY_AFTER_MAX_S = 300;
const XSRF_COOKIE = 'XSRF-TOKEN';

export function readXsrfCookie(cookies: string = document.cookie): string | null {
  for (const part of cookies.split('; ')) {
    if (part.startsWith(`${XSRF_COOKIE}=`)) return decodeURIComponent(part.slice(XSRF_COOKIE.length + 1));
  }
  return null;
}

type Sent = Omit<Call<TSchema>, 'answer'>;

function isBodyMissing(body: unknown, name: string): boolean {
  const isMissing = (value: unknown): boolean => value === null || value === undefined;
  if (name === 'body' || isMissing(body)) return isMissing(body);
  return !isRecord(body) || isMissing(body[name]);
}

function pathOf(call: Sent): string {
  const filled = call.path.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = call.params?.[name];
    if (value === null || value === undefined) throw new MissingParameterError(name, call.name);
    return encodeURIComponent(value);
  });
  if (call.bodyName !== undefined && isBodyMissing(call.body, call.bodyName)) {
    throw new MissingParameterError(call.bodyName, call.name);
  }
  const query = new URLSearchParams();
  for (const [name, value] of Object.entries(call.query ?? {})) {
    if (value !== undefined && value !== '') query.set(name, String(value));
  }
  return query.size === 0 ? filled : `${filled}?${query}`;
}

function headersOf(call: Sent, token: string | null, accept: string): Headers {
  const headers = new Headers({ accept });
  if (call.body !== undefined) headers.set('content-type', 'application/json');
  if (call.ifMatch !== undefined) headers.set('if-match', call.ifMatch);
  if (token === null) return headers;
  headers.set('x-access-token', token);
  const xsrf = readXsrfCookie();
  if (isUnsafe(call) && xsrf !== null) headers.set('X-XSRF-TOKEN', xsrf);
  return headers;
}

/** Tags of answers. */
const tags = new WeakMap<object, string>();

/** Returns the tag of an answer's state, for `ifMatch`; undefined without one. */
export const tagOf = (answer: object): string | undefined => tags.get(answer);

/** Returns the body as JSON; undefined for a broken one. @throws the abort of the call while the body arrives */
const bodyOf = (response: Response, { signal }: Sent): Promise<unknown> =>
  response.json().catch((cause: unknown) => {
    if (signal?.aborted === true) throw cause;
    return undefined;
  });

/** @throws the abort of the call; ApiError NETWORK for a body that breaks off: half a file is none */
const blobOf = (response: Response, { name, signal }: Sent): Promise<Blob> =>
  response.blob().catch((cause: unknown) => {
    if (signal?.aborted === true) throw cause;
    throw new ApiError('NETWORK', 0, `${name}: the answer broke off`);
  });

async function problemOf(response: Response, call: Sent): Promise<ApiError> {
  const body = await bodyOf(response, call);
  const retryAfter = Number(response.headers.get('retry-after') ?? 0);
  const seconds = Number.isFinite(retryAfter) ? Math.max(0, Math.min(retryAfter, RETRY_AFTER_MAX_S)) : 0;
  if (!isReadable(ProblemSchema, body)) {
    return new ApiError('UNKNOWN', response.status, `HTTP ${response.status}`, null, seconds);
  }
  return new ApiError(codeOf(body), response.status, body.detail ?? body.title, body, seconds);
}

async function jsonOf<S extends TSchema>(response: Response, call: Call<S>): Promise<Readable<Static<S>>> {
  const raw = response.status === 204 ? {} : await bodyOf(response, call);
  const answer = call.read === undefined ? raw : call.read(raw);
  const body =
    call.isDocument === true
      ? isReadable(call.answer, answer)
        ? answer
        : undefined
      : readAnswer(call.answer, answer);
  if (body !== undefined) {
    const tag = response.headers.get('etag');
    if (tag !== null && isRecord(body)) tags.set(body, tag);
    return body;
  }
  throw new ApiError(
    'UNEXPECTED_ANSWER',
    response.status,
    `${call.name}: the answer does not fit its schema`,
  );
}

/** Has a read end as one without an answer after `READ_MS`. */
async function inTime<S extends TSchema, T>(call: Call<S>, work: (call: Call<S>) => Promise<T>): Promise<T> {
  if (isChange(call)) return work(call);
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(), READ_MS);
  const signal = call.signal === undefined ? late.signal : AbortSignal.any([call.signal, late.signal]);
  try {
    return await work({ ...call, signal });
  } catch (error) {
    if (!late.signal.aborted || call.signal?.aborted === true) throw error;
    throw new ApiError('NETWORK', 0, `${call.name}: no answer in time`);
  } finally {
    clearTimeout(timer);
  }
}

/** Returns whether the method is one for changes, so that the server wants the XSRF token. */
const isUnsafe = ({ method = 'GET' }: Sent): boolean => method !== 'GET';

/** Returns whether the call may change something. */
const isChange = (call: Sent): boolean => isUnsafe(call) && call.isRead !== true;

/** Logs a failed call with its request id in the browser's console, for support. */
function logFailure(call: string, error: unknown): void {
  if (!(error instanceof ApiError)) return;
  const { code, status, problem } = error;
  const request = problem === null ? 'without an id' : problem.requestId;
  // oxlint-disable-next-line no-console -- the specification has failed calls logged in the browser's console
  console.error(`${call} failed: ${code}, HTTP ${status}, request ${request}`);
}

/** Sends calls and checks their answers against the contracts. Throws ApiError or MissingParameterError. */
export function createHttp(options: HttpOptions): Http {
  const logged = async <T>({ name }: Sent, answer: Promise<T>): Promise<T> => {
    try {
      return await answer;
    } catch (error) {
      logFailure(name, error);
      throw error;
    }
  };
  /** Sends a call; after an XSRF refusal, reads the session for a new cookie and repeats the call once. */
  const send = async (call: Sent, accept: string): Promise<Response> => {
    try {
      return await sendOnce(call, accept);
    } catch (error) {
      if (!isCode(error, 'XSRF')) throw error;
      await sendOnce({ name: 'getSession', path: '/session' }, 'application/json');
      return sendOnce(call, accept);
    }
  };
  const sendOnce = async (call: Sent, accept: string): Promise<Response> => {
    const path = pathOf(call);
    const token = call.token ?? options.token();
    const init: RequestInit = {
      method: call.method ?? 'GET',
      headers: headersOf(call, token, accept),
      credentials: 'same-origin',
      cache: 'no-store',
    };
    if (call.body !== undefined) init.body = JSON.stringify(call.body);
    if (call.signal !== undefined) init.signal = call.signal;
    const response = await fetch(options.base + path, init).catch((cause: unknown) => {
      if (call.signal?.aborted === true) throw cause;
      throw new ApiError('NETWORK', 0, `${call.name}: no answer`);
    });
    options.heard?.(response.headers);
    if (response.ok) return response;
    const isEnded = response.status === 401 && call.endsSession !== true;
    if (isEnded && token !== null) options.unauthorized(token);
    throw await problemOf(response, call);
  };
  const answerOf = async <S extends TSchema>(call: Call<S>): Promise<Readable<Static<S>>> => {
    const answered = isChange(call) ? options.changing?.() : undefined;
    try {
      const answer = await jsonOf(await send(call, 'application/json'), call);
      answered?.('made');
      return answer;
    } catch (error) {
      answered?.(mayBeDone(error) ? 'unknown' : 'refused');
      throw error;
    }
  };
  return {
    call: (call) => logged(call, inTime(call, answerOf)),
    download: (call, accept) =>
      logged(
        call,
        send(call, accept).then((response) => blobOf(response, call)),
      ),
  };
}
