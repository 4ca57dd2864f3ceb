import type { FastifyInstance } from 'fastify';

/** Returns whether a path, as it was sent, belongs to the route. */
type IsPath = (path: string) => boolean;

interface KnownRoute {
  readonly isPath: IsPath;
  readonly methods: Set<string>;
}

/**
 * Records routes as they are added, and returns a function that lists the methods of a path. With it, 405 can be told
 * from 404.
 * @boundedBy the routes
 */
export function watchMethods(app: Pick<FastifyInstance, 'addHook'>): (path: string) => readonly string[] {
  const routes = new Map<string, KnownRoute>();
  app.addHook('onRoute', ({ url, method, config }) => {
    // A wildcard matches every path below it, so it does not show that a path exists, unless the route has `isPath`.
    const isPath = config?.isPath ?? (url.includes('*') ? undefined : patternOf(url));
    if (isPath === undefined) return;
    const route = routes.get(url) ?? { isPath, methods: new Set<string>() };
    for (const one of [method].flat()) route.methods.add(one);
    routes.set(url, route);
  });
  return (path) => {
    const found = [...routes.values()].filter((route) => route.isPath(path));
    return [...new Set(found.flatMap(({ methods }) => [...methods]))];
  };
}

function patternOf(url: string): IsPath {
  const segments = url.split('/').map((segment) => (segment.startsWith(':') ? '[^/]+' : escaped(segment)));
  const pattern = new RegExp(`^${segments.join('/')}$`);
  return (path) => pattern.test(path);
}

const escaped = (text: string): string => text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
