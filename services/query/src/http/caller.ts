import type { FastifyRequest } from 'fastify';
import { ApiError, type Caller } from '@sentinel-node/platform';

export const TOKEN_HEADER = 'x-access-token';
const BEARER = /^Bearer +(\S+)$/i;

/**
 * Returns the session's token or a service token (RFC 6750 section 2.1). A token in the URL is ignored, because others
 * log URLs.
 */
export function tokenOf({ headers }: Pick<FastifyRequest, 'headers'>): string | undefined {
  const token = headers[TOKEN_HEADER];
  return typeof token === 'string' ? token : BEARER.exec(headers.authorization ?? '')?.[1];
}

/** Returns the calling member; only for handlers of `member` and `admin` routes. */
export function memberOf({ caller }: FastifyRequest): Caller & { orgId: string; role: 'REGULAR' | 'ADMIN' } {
  const { orgId = null, role = null } = caller ?? {};
  if (caller === null || orgId === null || role === null) throw new ApiError('UNAUTHENTICATED');
  return { ...caller, orgId, role };
}

/** Returns the person named in events and policies. */
export function actorOf(request: FastifyRequest): { userId: string; email: string } {
  const { userId, email } = memberOf(request);
  return { userId, email };
}
