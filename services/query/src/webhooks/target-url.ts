/** Checks the URLs of receivers, and hides their secret parts. Pure. */
import type { WebhookShape } from '@sentinel-node/contracts';

/**
 * Returns why a URL cannot be a target; undefined for a valid one. Its addresses are checked at each
 * connection.
 * @param allowsHttp whether the operator allows targets in its own networks
 */
export function urlProblem(text: string, allowsHttp: boolean): string | undefined {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined) return 'is no URL';
  if (url.protocol !== 'https:' && !(allowsHttp && url.protocol === 'http:'))
    return 'does not begin with https://';
  if (url.username !== '' || url.password !== '') return 'contains a user or a password';
  if (url.hash !== '' || text.includes('#')) return 'contains a fragment';
  return undefined;
}

/** Services whose URL alone lets a caller post. */
const SECRET_PATHS: ReadonlySet<WebhookShape> = new Set(['slack', 'teams']);

/**
 * Returns a URL without its query, and without its path for services whose URLs are secret. @param text a URL
 */
export function shownUrl(text: string, shape: WebhookShape): string {
  const { origin, pathname, search } = new URL(text);
  if (SECRET_PATHS.has(shape)) return `${origin}/…`;
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
}
