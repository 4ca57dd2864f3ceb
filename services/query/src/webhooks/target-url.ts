/** URLs of receivers: which are accepted, and how much of them people see. Pure. */
import type { WebhookShape } from '@sentinel-node/contracts';

/**
 * Returns why a URL is no target; undefined: it is one. Its addresses are checked at each connection.
 * @param allowsHttp whether the operator allows targets in networks of its own
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

/** Services whose URL is all that a caller needs to post. */
const SECRET_PATHS: ReadonlySet<WebhookShape> = new Set(['slack', 'teams']);

/** Without the query; of a service whose URLs are secret also without the path. @param text a URL */
export function shownUrl(text: string, shape: WebhookShape): string {
  const { origin, pathname, search } = new URL(text);
  if (SECRET_PATHS.has(shape)) return `${origin}/…`;
  return `${origin}${pathname}${search === '' ? '' : '?…'}`;
}
