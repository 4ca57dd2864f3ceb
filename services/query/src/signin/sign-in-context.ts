import type { KeyObject } from 'node:crypto';
import { PURPOSES, purposeKey, Refusals } from '@sentinel-node/platform';
import type { QueryContext } from '../context.ts';
import { authenticator, type Authenticator, type Programs } from './authenticator.ts';
import { Members } from './members.ts';
import { callersOf } from './person.ts';
import type { Sessions } from './sessions.ts';
import { SignIns } from './sign-ins.ts';
import type { Tokens } from './tokens.ts';
import { ownOrigins, WalletSignIn } from './wallet-sign-in.ts';

/** The context of the sign-in routes. */
export interface SignInContext extends QueryContext {
  readonly sessions: Sessions;
  readonly tokens: Tokens;
  readonly authenticator: Authenticator;
  readonly walletSignIn: WalletSignIn;
}

/** @param publicKey the wallet's key */
export function walletSignInOf(
  { config, store, clock, random, log }: QueryContext,
  sessions: Sessions,
  publicKey: KeyObject,
): WalletSignIn {
  const signIns = new SignIns(store, sessions, clock, random, config.sessionKeyNumber);
  return new WalletSignIn({ publicKey, signIns, origins: ownOrigins(config), clock, log });
}

export function authenticatorOf(
  { store, secrets, config, clock, reservations }: QueryContext,
  sessions: Sessions,
  tokens: Tokens,
  programs: Programs,
): Authenticator {
  const members = new Members(store);
  return authenticator({
    tokens,
    sessions,
    programs,
    /** @pool calls */
    refusals: new Refusals({ perMinute: config.limits.userCallsPerMinute, clock }),
    xsrfKey: purposeKey(secrets.masterSecret, PURPOSES.xsrf),
    callersOf: (present) => callersOf({ members, reservations }, present),
  });
}
