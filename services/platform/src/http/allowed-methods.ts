import type { FastifyInstance } from 'fastify';

/** Whether a path, as it was sent, is one of the route. */
type IsPath = (path: string) => boolean;

interface KnownRoute {
  readonly isPath: IsPath;
  readonly methods: Set<string>;
}

/**
 * Watches routes being added and answers which methods a path takes, so that 405 can be told from 404.
 * @boundedBy the routes
 */
export function watchMethods(app: Pick<FastifyInstance, 'addHook'>): (path: string) => readonly string[] {
  const routes = new Map<string, KnownRoute>();
  app.addHook('onRoute', ({ url, method, config }) => {
    // A wildcard takes everything below it: it does not say that a path exists, unless the route does.
    const isPath = config?.isPath ?? (url.includes('*') ? undefined : patternOf(url));
    if (isPath === undefined) return;
    const route = routes.get(url) ?? { isPath, methods: new Set<string>() };
    for (const one of [method].flat()) route.methods.add(one);
    routes.set(url, route);
  });
  return (path) =>
    [...routes.values()].filter((route) => route.isPath(path)).flatMap(({ methods }) => [...methods]);
}

function patternOf(url: string): IsPath {
  const segments = url.split('/').map((segment) => (segment.startsWith(':') ? '[^/]+' : escaped(segment)));
  const pattern = new RegExp(`^${segments.join('/')}$`);
  return (path) => pattern.test(path);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
