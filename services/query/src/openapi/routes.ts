/** Serves the OpenAPI document and a page to browse it. Both are public. */
import fastifySwaggerUi from '@fastify/swagger-ui';
import { plainInstance, type App } from '@sentinel-node/platform';
import { setSecurityHeaders } from '../http/security-headers.ts';
import { API_PREFIX } from './document.ts';

const DOCUMENT_PATH = `${API_PREFIX}/openapi.json`;
const PAGE_PATH = `${API_PREFIX}/docs`;

export async function openApiRoutes(app: App): Promise<void> {
  const plain = plainInstance(app);
  // The page's own routes come from its package, which cannot declare `access`.
  plain.addHook('onRoute', (route) => {
    route.config = { ...route.config, access: 'public' };
  });
  plain.addHook('onRequest', async (_, reply) => {
    await setSecurityHeaders(reply);
    void reply.header('cache-control', 'no-cache');
  });
  let text: string | undefined;
  plain.get(DOCUMENT_PATH, { schema: { hide: true } }, async (_, reply) => {
    text ??= JSON.stringify(plain.swagger());
    return reply.type('application/json; charset=utf-8').send(text);
  });
  await plain.register(fastifySwaggerUi, {
    routePrefix: PAGE_PATH,
    // `BaseLayout` has no top bar; that bar loads other documents and uses inline styles.
    uiConfig: { layout: 'BaseLayout', deepLinking: true, docExpansion: 'list' },
  });
}
