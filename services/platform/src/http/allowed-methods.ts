import type { FastifyInstance } from 'fastify';

interface KnownRoute {
  readonly path: RegExp;
  readonly methods: Set<string>;
}

/**
 * Watches routes being added and answers which methods a path takes, so that 405 can be told from 404.
 * @boundedBy the routes
 */
export function watchMethods(app: Pick<FastifyInstance, 'addHook'>): (path: string) => readonly string[] {
  const routes = new Map<string, KnownRoute>();
  app.addHook('onRoute', ({ url, method }) => {
    // A wildcard takes everything below it: it does not say that a path exists.
    if (url.includes('*')) return;
    const route = routes.get(url) ?? { path: patternOf(url), methods: new Set<string>() };
    for (const one of [method].flat()) route.methods.add(one);
    routes.set(url, route);
  });
  return (path) =>
    [...routes.values()].filter((route) => route.path.test(path)).flatMap(({ methods }) => [...methods]);
}

function patternOf(url: string): RegExp {
  const segments = url.split('/').map((segment) => (segment.startsWith(':') ? '[^/]+' : escaped(segment)));
  return new RegExp(`^${segments.join('/')}$`);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
