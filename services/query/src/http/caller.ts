import type { FastifyRequest } from 'fastify';
import { ApiError, type Access, type Caller } from '@sentinel-node/platform';
import type { Actor } from '../registry/decision.ts';
import type { Scope } from '../views/index.ts';

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

/** Whether the caller may see API keys of devices: with one, a program that is for reading only could report. */
export function mayReadApiKeys({ caller }: Pick<FastifyRequest, 'caller'>): boolean {
  return caller?.serviceToken?.readOnly !== true;
}

/** The organisation of the path, and the devices of it that a limited service token reaches. */
export function scopeOfCall({ params, within: devices }: WithinRequest): Pick<Scope, 'orgId' | 'within'> {
  const { orgId } = params;
  return devices === null ? { orgId } : { orgId, within: devices };
}

type WithinRequest = Pick<FastifyRequest, 'within'> & { readonly params: { readonly orgId: string } };

/** The name that is written into events and policies, and the check that the caller's rights are still those of the call. */
export function actorOf(request: FastifyRequest): Actor {
  const { userId, email } = memberOf(request);
  return { userId, email, confirm: request.confirmAdmission ?? undefined };
}

/** The calling member with the check of `actorOf`, for commands that look at more than the name. */
export function callerOf(request: FastifyRequest): ReturnType<typeof memberOf> & Actor {
  return { ...memberOf(request), ...actorOf(request) };
}

/** Returns whether the route refuses service tokens. @param takesServiceTokens as the route says */
export const isForPeople = (access: Access, takesServiceTokens: true | undefined): boolean =>
  access === 'withoutOrganization' || (access === 'signedIn' && takesServiceTokens !== true);
