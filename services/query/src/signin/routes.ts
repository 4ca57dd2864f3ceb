import { Type } from 'typebox';
import {
  EmptySchema,
  LoginResultSchema,
  SessionSchema,
  WalletCredentialsSchema,
  type LoginResult,
} from '@sentinel-node/contracts';
import { ApiError, type App, type Caller, type Config } from '@sentinel-node/platform';
import { perAddress } from '../http/rate-limits.ts';
import { bindPerson } from '../people/index.ts';
import type { Session } from './sessions.ts';
import type { SignInContext } from './sign-in-context.ts';

export const XSRF_COOKIE = 'XSRF-TOKEN';
const ACCESS_TOKEN_CHARACTERS = 512;
const LoginQuerySchema = Type.Object(
  { access_token: Type.String({ maxLength: ACCESS_TOKEN_CHARACTERS }) },
  { additionalProperties: false },
);

export function loginRoutes(app: App, context: SignInContext): void {
  const { walletSignIn, sessions, config } = context;

  app.get('/login', {
    config: { access: 'public', rateLimit: perAddress(config.limits.loginPerMinute) },
    schema: { tags: ['Login'], querystring: LoginQuerySchema, response: { 200: LoginResultSchema } },
    // Only this answer is one of two shapes: to choose by schema, the serializer would load and compile a validator.
    serializerCompiler: () => JSON.stringify,
    handler: async ({ query }, reply): Promise<LoginResult> => {
      const session = await walletSignIn.claim(query.access_token);
      if (session === undefined) return { success: false };
      await bindPerson(context, session);
      const { caller } = (await context.authenticator.authenticate(context.tokens.tokenOf(session))) ?? {};
      if (caller === undefined) return { success: false };
      void reply.header('set-cookie', xsrfCookie(context, session));
      return { ...sessionOf(caller), success: true, token: context.tokens.tokenOf(session) };
    },
  });

  app.post('/e2walletlogin', {
    // All sign-ins come from the wallet's one address, so the limit of GET /login would count them together.
    config: { access: 'public' },
    schema: { tags: ['Login'], body: WalletCredentialsSchema, response: { 204: Type.Null() } },
    handler: async ({ body }, reply) => {
      if (!(await walletSignIn.accept(body))) throw new ApiError('INVALID_CREDENTIALS');
      return reply.code(204).send(null);
    },
  });

  app.get('/session', {
    config: { access: 'signedIn' },
    schema: { tags: ['Login'], response: { 200: SessionSchema } },
    handler: async ({ caller, session }, reply) => {
      // The browser may have lost the cookie, or have the cookie of another person's session.
      void reply.header('set-cookie', xsrfCookie(context, session!));
      return sessionOf(caller!);
    },
  });

  app.post('/logout', {
    config: { access: 'signedIn' },
    schema: { tags: ['Login'], body: EmptySchema, response: { 204: Type.Null() } },
    handler: async ({ session }, reply) => {
      await sessions.end(session!.id);
      void reply.header('set-cookie', cookie(config, '', 0));
      return reply.code(204).send(null);
    },
  });
}

function sessionOf({ userId, email, name, orgId, role }: Caller) {
  return { success: true, name, email, userRole: role, orgId, userId };
}

/** The cookie lives as long as its session. */
function xsrfCookie({ authenticator, clock, config }: SignInContext, session: Session): string {
  const leftMs = session.expiresAt - clock.now();
  return cookie(config, authenticator.xsrfToken(session), Math.ceil(leftMs / 1_000));
}

/** Scripts may read the cookie, so that the console can send it back as X-XSRF-TOKEN. */
function cookie({ publicUrl }: Config, value: string, seconds: number): string {
  const secure = publicUrl.startsWith('https:') ? '; Secure' : '';
  return `${XSRF_COOKIE}=${value}; Path=/; SameSite=Strict; Max-Age=${seconds}${secure}`;
}
