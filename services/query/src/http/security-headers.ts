import fastifyHelmet from '@fastify/helmet';
import type { FastifyReply } from 'fastify';
import type { App, Config } from '@sentinel-node/platform';

/** Everything comes from the own origin; nothing is inline, framed or embedded. */
const DIRECTIVES = {
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  fontSrc: ["'self'"],
  connectSrc: ["'self'"],
  manifestSrc: ["'self'"],
  formAction: ["'self'"],
  baseUri: ["'none'"],
  frameAncestors: ["'none'"],
};

/** Sets the headers of one answer. */
export type SecurityHeaders = (reply: FastifyReply) => Promise<void>;

/** Registered without effect on other services' routes: whoever answers calls what this returns. */
export async function securityHeaders(
  app: App,
  { publicUrl }: Pick<Config, 'publicUrl'>,
): Promise<SecurityHeaders> {
  await app.register(fastifyHelmet, {
    global: false,
    contentSecurityPolicy: { useDefaults: false, directives: DIRECTIVES },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: publicUrl.startsWith('https:'),
  });
  return async (reply) => {
    await reply.helmet();
  };
}
