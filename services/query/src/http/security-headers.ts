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

/** Sets the headers of one answer, whose app `securityHeaders` has prepared. */
export async function setSecurityHeaders(reply: FastifyReply): Promise<void> {
  reply.helmet();
}

/** Prepares the app without effect on other services' routes: each answer is given its headers by itself. */
export async function securityHeaders(app: App, { publicUrl }: Pick<Config, 'publicUrl'>): Promise<void> {
  await app.register(fastifyHelmet, {
    global: false,
    contentSecurityPolicy: { useDefaults: false, directives: DIRECTIVES },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: publicUrl.startsWith('https:'),
  });
}
