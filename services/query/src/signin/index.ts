/** Signing in, sessions and access checks. Other features import from here. */
import type { Feature } from '../http/feature.ts';
import { loginRoutes } from './routes.ts';
import type { SignInContext } from './sign-in-context.ts';

export { accessCheck, memberCheck } from './access.ts';
export type { Authenticator } from './authenticator.ts';
export { startHousekeeping } from './housekeeping.ts';
export { signInOperations } from './operations.ts';
export { privateKeyOf, publicKeyOf } from './secp256k1.ts';
export { endSessionsOf, Sessions, SESSIONS_COLLECTION } from './sessions.ts';
export { authenticatorOf, walletSignInOf, type SignInContext } from './sign-in-context.ts';
export { SIGN_INS_COLLECTION } from './sign-ins.ts';
export { registerTokens } from './tokens.ts';
export { signedCredentials } from './wallet-credentials.ts';
export { CALLBACK_PATH, ownOrigins, type WalletSignIn } from './wallet-sign-in.ts';

export const signIn: Feature<SignInContext> = async (app, context) => loginRoutes(app, context);
