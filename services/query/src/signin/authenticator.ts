import type { DeviceLimits } from '@sentinel-node/contracts';
import { ApiError, isXsrfToken, xsrfToken, type Caller, type Refusals } from '@sentinel-node/platform';
import type { Session, Sessions } from './sessions.ts';
import type { Tokens } from './tokens.ts';

export interface SignedIn {
  /** null for a program with a service token, which has no cookie either. */
  readonly session: Session | null;
  readonly caller: Caller;
}

/** Authenticates programs that call with a service token. */
export interface Programs {
  isToken(text: string): boolean;
  /** Returns undefined when the token is wrong, expired or ended. */
  callerOf(token: string): Promise<Caller | undefined>;
  /** Whether a limited program may call for a device, by what the store says now. */
  isDeviceWithin(orgId: string, limits: DeviceLimits, deviceId: string): Promise<boolean>;
  /** Devices that a limited program may call for. @throws ApiError FORBIDDEN: too many */
  devicesWithin(orgId: string, limits: DeviceLimits): Promise<ReadonlySet<string>>;
  /** Stores time and address of the last use. */
  used(caller: Caller, address: string): void;
}

/** Finds the caller of a token, from the current state of the store. */
export interface Authenticator {
  /** Returns undefined for an unknown or expired token, or one whose session has ended. */
  authenticate(token: string): Promise<SignedIn | undefined>;
  /** Authenticates several tokens; the results keep their order. */
  authenticateAll(tokens: readonly string[]): Promise<(SignedIn | undefined)[]>;
  /** Returns the refusal of a call without a valid token: 401, or 429 when its address had too many. */
  refusal(ip: string): ApiError;
  /** Returns the value of the session's XSRF-TOKEN cookie. */
  xsrfToken(session: Session): string;
  isXsrfToken(session: Session, presented: string): boolean;
  /** Records an admitted call of a program. */
  used(caller: Caller, address: string): void;
  readonly programs: Pick<Programs, 'isDeviceWithin' | 'devicesWithin'>;
}

export function authenticator(options: {
  readonly tokens: Tokens;
  readonly sessions: Sessions;
  readonly programs: Programs;
  readonly xsrfKey: Uint8Array;
  readonly refusals: Refusals;
  readonly callersOf: (sessions: readonly Session[]) => Promise<readonly Caller[]>;
}): Authenticator {
  const { tokens, sessions, programs, xsrfKey, refusals, callersOf } = options;
  const withSession = async (given: readonly string[]): Promise<(SignedIn | undefined)[]> => {
    const jtis = given.map((token) => tokens.jtiOf(token));
    const found = await sessions.getMany(jtis.filter((jti) => jti !== undefined));
    const present = [...found.values()];
    const callers = await callersOf(present);
    const signedIn = new Map(
      present.map((session, at) => [session.id, { session, caller: callers[at]! }] as const),
    );
    return jtis.map((jti) => (jti === undefined ? undefined : signedIn.get(jti)));
  };
  const asProgram = async (token: string): Promise<SignedIn | undefined> => {
    const caller = await programs.callerOf(token);
    return caller && { session: null, caller };
  };
  const authenticateAll: Authenticator['authenticateAll'] = async (given) => {
    const people = await withSession(given);
    return Promise.all(
      given.map(async (token, at) => (programs.isToken(token) ? asProgram(token) : people[at])),
    );
  };
  return {
    authenticate: async (token) => (await authenticateAll([token]))[0],
    authenticateAll,
    refusal: (ip) => refusals.answer(ip, new ApiError('UNAUTHENTICATED')),
    xsrfToken: (session) => xsrfToken(xsrfKey, session.id),
    isXsrfToken: (session, presented) => isXsrfToken(xsrfKey, session.id, presented),
    used: (caller, address) => programs.used(caller, address),
    programs,
  };
}
