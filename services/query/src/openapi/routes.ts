/** The document, and the page to browse it by. Both are for everybody. */
import fastifySwaggerUi from '@fastify/swagger-ui';
import type { FastifyInstance } from 'fastify';
import type { App } from '@sentinel-node/platform';
import type { SecurityHeaders } from '../http/security-headers.ts';
import { API_PREFIX } from './document.ts';

const DOCUMENT_PATH = `${API_PREFIX}/openapi.json`;
const PAGE_PATH = `${API_PREFIX}/docs`;

export async function openApiRoutes(app: App, secure: SecurityHeaders): Promise<void> {
  const plain = app as unknown as FastifyInstance;
  // The page's own routes come from its package, which cannot say who may call them.
  plain.addHook('onRoute', (route) => {
    route.config = { ...route.config, access: 'public' };
  });
  plain.addHook('onRequest', async (_, reply) => {
    await secure(reply);
    void reply.header('cache-control', 'no-cache');
  });
  plain.get(DOCUMENT_PATH, { schema: { hide: true } as object }, async () => plain.swagger());
  await plain.register(fastifySwaggerUi, {
    routePrefix: PAGE_PATH,
    // A link home instead of the picture of another project.
    logo: { type: 'image/svg+xml', content: Buffer.from(LOGO), href: '/' },
    uiConfig: { deepLinking: true, docExpansion: 'list', tryItOutEnabled: false },
  });
}

const LOGO =
  '<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 220 40" width="220" height="40"><text x="0" y="28" font-family="sans-serif" font-size="24" fill="#fff">Sentinel Node</text></svg>';
