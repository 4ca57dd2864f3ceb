import fastifyHelmet from '@fastify/helmet';
import type { FastifyReply } from 'fastify';
import type { App, Config } from '@sentinel-node/platform';

/** Allows resources of the own origin only; nothing inline, framed or embedded. */
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

/** Sets the headers of one answer; `securityHeaders` has prepared the app. */
export async function setSecurityHeaders(reply: FastifyReply): Promise<void> {
  reply.helmet();
}

/** Prepares the app without effect on other services' routes: `setSecurityHeaders` sets the headers of each answer. */
export async function securityHeaders(app: App, { publicUrl }: Pick<Config, 'publicUrl'>): Promise<void> {
  await app.register(fastifyHelmet, {
    global: false,
    contentSecurityPolicy: { useDefaults: false, directives: DIRECTIVES },
    referrerPolicy: { policy: 'no-referrer' },
    xFrameOptions: { action: 'deny' },
    strictTransportSecurity: publicUrl.startsWith('https:'),
  });
}
