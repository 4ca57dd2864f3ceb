/** Routes of the development parts (decision 3 of the specification): /dev-wallet and /dev-mail, outside of /api/v1. */
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Type, type Static } from 'typebox';
import { DevMailSchema, EmailSchema, NameSchema } from '@sentinel-node/contracts';
import { ApiError, type App, type Config } from '@sentinel-node/platform';
import type { DevelopmentMailer } from '../mail/development-mailer.ts';
import { CALLBACK_PATH, ownOrigins, type WalletSignIn } from '../signin/index.ts';
import { mailPage } from './mail-page.ts';
import { DEVELOPMENT_STYLE, walletPage } from './page.ts';
import type { DevelopmentWallet } from './wallet.ts';

const FORM_TYPE = 'application/x-www-form-urlencoded';
const FORM_BYTES = 16_384;
const HTML_TYPE = 'text/html; charset=utf-8';
const Text = Type.String({ maxLength: 2_000 });

const WalletQuerySchema = Type.Object({
  source: Type.Optional(Text),
  redirect: Type.Optional(Text),
  callback: Type.Optional(Text),
  email: Type.Optional(Text),
  name: Type.Optional(Text),
});
const SignInSchema = Type.Object(
  { email: EmailSchema, name: NameSchema, redirect: Type.Optional(Text), callback: Type.Optional(Text) },
  { additionalProperties: false },
);
type SignIn = Static<typeof SignInSchema>;

/** Context of the development parts. */
export interface DevelopmentContext {
  readonly config: Config;
  readonly walletSignIn: WalletSignIn;
  /** undefined with a real wallet. */
  readonly developmentWallet: DevelopmentWallet | undefined;
  /** undefined with a real mail server. */
  readonly developmentMailer: DevelopmentMailer | undefined;
}

export function developmentRoutes(app: App, context: DevelopmentContext): void {
  const { developmentWallet, developmentMailer } = context;
  if (developmentWallet === undefined && developmentMailer === undefined) return;
  app.get('/dev-style.css', { config: { access: 'public' }, schema: { hide: true } }, async (_, reply) =>
    reply.type('text/css; charset=utf-8').send(DEVELOPMENT_STYLE),
  );
  if (developmentWallet !== undefined) walletRoutes(app, context, developmentWallet);
  if (developmentMailer !== undefined) mailRoutes(app, developmentMailer);
}

function walletRoutes(app: App, context: DevelopmentContext, wallet: DevelopmentWallet): void {
  app.addContentTypeParser<string>(
    FORM_TYPE,
    { parseAs: 'string', bodyLimit: FORM_BYTES },
    (_request, body, done) => done(null, Object.fromEntries(new URLSearchParams(body))),
  );

  app.get('/dev-wallet', {
    config: { access: 'public' },
    schema: { querystring: WalletQuerySchema },
    handler: async ({ query }, reply) => {
      const { email = '', name = '', redirect = '', callback = '' } = query;
      return reply.type(HTML_TYPE).send(walletPage({ email, name, redirect, callback }));
    },
  });

  app.post('/dev-wallet/login', {
    config: { access: 'public' },
    attachValidation: true,
    schema: { body: SignInSchema },
    handler: async (request, reply) => {
      const isForm = request.headers['content-type']?.startsWith(FORM_TYPE) === true;
      if (request.validationError !== undefined) {
        if (!isForm) throw request.validationError;
        return refusedForm(reply, request.body, 'Please give a valid e-mail and a name.');
      }
      if (isForm && !isOwn(context, request))
        return refusedForm(reply, request.body, 'This wallet returns only to its own Sentinel Node.');
      const accessToken = await signIn(context, wallet, request.body);
      if (!isForm) return { access_token: accessToken };
      const target = new URL(request.body.redirect ?? '');
      target.searchParams.set('access_token', accessToken);
      return reply.redirect(target.href, 303);
    },
  });
}

/**
 * Signs a person in as a wallet does: sends the credentials to the callback and returns the access token for the
 * browser.
 */
async function signIn(
  { config, walletSignIn }: DevelopmentContext,
  wallet: DevelopmentWallet,
  { email, name }: SignIn,
): Promise<string> {
  const credentials = wallet.credentials({ email, name }, config.publicUrl + CALLBACK_PATH);
  if (!(await walletSignIn.accept(credentials))) throw new ApiError('INVALID_CREDENTIALS');
  return credentials.accessToken;
}

function isOwn({ config }: DevelopmentContext, request: FastifyRequest<{ Body: SignIn }>): boolean {
  // The HTTP shell checked the Host header, so an origin with this host is ours, whatever port a tunnel shows.
  const origins = new Set([...ownOrigins(config), `${request.protocol}://${request.host}`]);
  const { redirect = '', callback = '' } = request.body;
  const isOurs = (url: string): boolean => URL.canParse(url) && origins.has(new URL(url).origin);
  return isOurs(redirect) && isOurs(callback) && new URL(callback).pathname === CALLBACK_PATH;
}

function refusedForm(reply: FastifyReply, body: unknown, problem: string): FastifyReply {
  const given: Readonly<Record<string, unknown>> = { ...Object(body) };
  const text = (name: string): string => (typeof given[name] === 'string' ? given[name] : '');
  const page = walletPage({
    email: text('email'),
    name: text('name'),
    redirect: text('redirect'),
    callback: text('callback'),
    problem,
  });
  return reply.code(422).type(HTML_TYPE).send(page);
}

function mailRoutes(app: App, mailer: DevelopmentMailer): void {
  app.get('/dev-mail', { config: { access: 'public' } }, async (_, reply) =>
    reply
      .header('cache-control', 'no-store')
      .type(HTML_TYPE)
      .send(mailPage(await mailer.list())),
  );

  app.get('/dev-mail/messages', {
    config: { access: 'public' },
    schema: { response: { 200: DevMailSchema } },
    handler: async (_, reply) => {
      void reply.header('cache-control', 'no-store');
      return (await mailer.list()).map((mail) => ({ ...mail, links: [...mail.links] }));
    },
  });
}
