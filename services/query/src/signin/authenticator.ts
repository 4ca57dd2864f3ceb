import { ApiError, isXsrfToken, xsrfToken, type Caller, type Refusals } from '@sentinel-node/platform';
import type { Session, Sessions } from './sessions.ts';
import type { Tokens } from './tokens.ts';

export interface SignedIn {
  readonly session: Session;
  readonly caller: Caller;
}

/** From a token to who calls, by what the store says now. */
export interface Authenticator {
  /** undefined: no token of ours, expired, or its session has ended. */
  authenticate(token: string): Promise<SignedIn | undefined>;
  /** Several at once, in their order. */
  authenticateAll(tokens: readonly string[]): Promise<(SignedIn | undefined)[]>;
  /** What a call without a good token is answered: 401, or 429 when its address had too many. */
  refusal(ip: string): ApiError;
  /** Value of the XSRF-TOKEN cookie of a session. */
  xsrfToken(session: Session): string;
  isXsrfToken(session: Session, presented: string): boolean;
}

export function authenticator(options: {
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  readonly xsrfKey: Uint8Array;
  readonly refusals: Refusals;
  readonly callersOf: (sessions: readonly Session[]) => Promise<readonly Caller[]>;
}): Authenticator {
  const { tokens, sessions, xsrfKey, refusals, callersOf } = options;
  const authenticateAll: Authenticator['authenticateAll'] = async (given) => {
    const jtis = given.map((token) => tokens.jtiOf(token));
    const found = await sessions.getMany(jtis.filter((jti) => jti !== undefined));
    const present = [...found.values()];
    const callers = await callersOf(present);
    const signedIn = new Map(
      present.map((session, at) => [session.id, { session, caller: callers[at]! }] as const),
    );
    return jtis.map((jti) => (jti === undefined ? undefined : signedIn.get(jti)));
  };
  return {
    authenticate: async (token) => (await authenticateAll([token]))[0],
    authenticateAll,
    refusal: (ip) => refusals.answer(ip, new ApiError('UNAUTHENTICATED')),
    xsrfToken: (session) => xsrfToken(xsrfKey, session.id),
    isXsrfToken: (session, presented) => isXsrfToken(xsrfKey, session.id, presented),
  };
}
