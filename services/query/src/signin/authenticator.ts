import type { Caller } from '@sentinel-node/platform';
import { isXsrfToken, xsrfToken } from '@sentinel-node/platform';
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
  /** Value of the XSRF-TOKEN cookie of a session. */
  xsrfToken(session: Session): string;
  isXsrfToken(session: Session, presented: string): boolean;
}

export function authenticator(options: {
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  readonly xsrfKey: Uint8Array;
  readonly callerOf: (session: Session) => Promise<Caller>;
}): Authenticator {
  const { tokens, sessions, xsrfKey, callerOf } = options;
  return {
    authenticate: async (token) => {
      const jti = tokens.jtiOf(token);
      const session = jti === undefined ? undefined : await sessions.get(jti);
      return session === undefined ? undefined : { session, caller: await callerOf(session) };
    },
    xsrfToken: (session) => xsrfToken(xsrfKey, session.id),
    isXsrfToken: (session, presented) => isXsrfToken(xsrfKey, session.id, presented),
  };
}
