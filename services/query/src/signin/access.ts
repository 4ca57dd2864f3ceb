/** Checks who may call a route (decision 2 of the specification), from current state, before the body is read. */
import type { FastifyRequest } from 'fastify';
import { ApiError, type Access, type Caller } from '@sentinel-node/platform';
import { isForPeople, mayReadApiKeys, tokenOf } from '../http/caller.ts';
import type { Authenticator, SignedIn } from './authenticator.ts';
import type { Session } from './sessions.ts';

declare module 'fastify' {
  interface FastifyRequest {
    /** Set together with `caller`. */
    session: Session | null;
    /**
     * Returns whether the caller would be admitted now as the call was, for answers that take long; set together with
     * `caller`.
     */
    isStillAdmitted: (() => Promise<boolean>) | null;
    /** Refuses as a new call would be refused now, for commands that take long; set together with `caller`. */
    confirmAdmission: (() => Promise<void>) | null;
  }
}

export const XSRF_HEADER = 'x-xsrf-token';
/** Calls that change nothing need no XSRF token (RFC 9110 9.2.1). */
const SAFE_METHODS: ReadonlySet<string> = new Set(['GET', 'HEAD', 'OPTIONS']);

/** Checks the access that the route declares. Ingestion checks `deviceKey` routes. */
export function accessCheck(authenticator: Authenticator): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    const { access } = request.routeOptions.config;
    // Every registered route declares `access`, so this URL is no route.
    if (access === undefined) throw new ApiError('NOT_FOUND');
    if (access === 'public' || access === 'deviceKey') return checkOptionalToken(authenticator, request);
    await requireAccess(authenticator, request, access);
  };
}

/**
 * Checks calls without an API key on `deviceKeyOrMember` routes of another service, whose answers hold the API key of a
 * device. Sets `request.caller`.
 */
export function memberCheck(authenticator: Authenticator): (request: FastifyRequest) => Promise<void> {
  return async (request) => {
    await requireAccess(authenticator, request, 'member');
    if (!mayReadApiKeys(request))
      throw new ApiError('FORBIDDEN', {
        detail: 'A service token that is for reading only gets no API key of a device.',
      });
  };
}

async function requireAccess(
  authenticator: Authenticator,
  request: FastifyRequest,
  access: Access,
): Promise<void> {
  const token = tokenOf(request);
  const signedIn = token === undefined ? undefined : await authenticator.authenticate(token);
  if (signedIn === undefined) throw authenticator.refusal(request.ip);
  checkXsrf(authenticator, request, signedIn);
  checkProgram(request, signedIn.caller, access);
  checkRole(signedIn.caller, access, paramOf(request.params, 'orgId'));
  const { caller } = signedIn;
  const within = await checkDevices(authenticator, request, caller);
  if (signedIn.session === null) authenticator.used(caller, request.ip);
  request.caller = caller;
  request.within = within;
  request.session = signedIn.session;
  request.isStillAdmitted = () => isStillAdmitted(authenticator, request);
  request.confirmAdmission = () => confirmAdmission(authenticator, request, access);
}

async function confirmAdmission(
  authenticator: Authenticator,
  request: FastifyRequest,
  access: Access,
): Promise<void> {
  const caller = (await authenticator.authenticate(tokenOf(request) ?? ''))?.caller;
  if (caller === undefined) throw new ApiError('UNAUTHENTICATED');
  checkProgram(request, caller, access);
  checkRole(caller, access, paramOf(request.params, 'orgId'));
  // Some commands do more for ADMINs than for others.
  if (request.caller?.role === 'ADMIN' && caller.role !== 'ADMIN') throw new ApiError('FORBIDDEN');
  await checkDevices(authenticator, request, caller);
}

/** The organisation, the role and the devices that a limited token reached have to be those of the call. */
async function isStillAdmitted(authenticator: Authenticator, request: FastifyRequest): Promise<boolean> {
  const { caller: before, within } = request;
  const caller = (await authenticator.authenticate(tokenOf(request) ?? ''))?.caller;
  if (caller === undefined || caller.orgId !== before?.orgId || caller.role !== before.role) return false;
  try {
    const now = await checkDevices(authenticator, request, caller);
    return within === null || [...within].every((id) => now?.has(id));
  } catch (error) {
    if (error instanceof ApiError && (error.code === 'NOT_FOUND' || error.code === 'FORBIDDEN')) return false;
    throw error;
  }
}

/** Applies the XSRF rule to a public call that carries a valid token. */
async function checkOptionalToken(authenticator: Authenticator, request: FastifyRequest): Promise<void> {
  const token = tokenOf(request);
  if (token === undefined || SAFE_METHODS.has(request.method)) return;
  const signedIn = await authenticator.authenticate(token);
  if (signedIn !== undefined) checkXsrf(authenticator, request, signedIn);
}

function checkXsrf(authenticator: Authenticator, request: FastifyRequest, { session }: SignedIn): void {
  // A browser never adds a service token on its own.
  if (session === null || SAFE_METHODS.has(request.method)) return;
  const presented = request.headers[XSRF_HEADER];
  if (typeof presented !== 'string' || !authenticator.isXsrfToken(session, presented))
    throw new ApiError('XSRF');
}

/** Checks a service token: its route must not be one of signing in, and a read-only token may only read. */
function checkProgram(
  { method, routeOptions }: FastifyRequest,
  { serviceToken }: Caller,
  access: Access,
): void {
  if (serviceToken === undefined) return;
  if (isForPeople(access, routeOptions.config.takesServiceTokens))
    throw new ApiError('FORBIDDEN', { detail: 'This call is for people, not for service tokens.' });
  if (serviceToken.readOnly && !SAFE_METHODS.has(method))
    throw new ApiError('FORBIDDEN', { detail: 'The service token is for reading only.' });
}

/**
 * A token that is limited to devices calls the routes that say how they serve it, and no others.
 * @returns devices to which the answer has to be limited; null: not limited, or the path names a device that it reaches
 */
async function checkDevices(
  { programs }: Pick<Authenticator, 'programs'>,
  { params, routeOptions }: FastifyRequest,
  { orgId, serviceToken }: Caller,
): Promise<ReadonlySet<string> | null> {
  const limits = serviceToken?.limits ?? null;
  if (limits === null || orgId === null) return null;
  const { deviceLimit } = routeOptions.config;
  if (deviceLimit === undefined)
    throw new ApiError('FORBIDDEN', {
      detail: 'The service token is limited to devices, and this call is not.',
    });
  if (deviceLimit === 'answer') return programs.devicesWithin(orgId, limits);
  const deviceId = paramOf(params, deviceLimit);
  // As unknown as one of another organisation.
  if (deviceId === undefined || !(await programs.isDeviceWithin(orgId, limits, deviceId)))
    throw new ApiError('NOT_FOUND');
  return null;
}

/** @param orgId of the path, when it has one: another organisation is as unknown as one that never was */
function checkRole({ orgId: own, role }: Caller, access: Access, orgId: string | undefined): void {
  if (access === 'signedIn') return;
  if (access === 'withoutOrganization') {
    if (own !== null) throw new ApiError('FORBIDDEN');
    return;
  }
  if (own === null || (orgId !== undefined && orgId !== own)) throw new ApiError('NOT_FOUND');
  if (access === 'admin' && role !== 'ADMIN') throw new ApiError('FORBIDDEN');
}

/** undefined where the path has no such parameter. */
function paramOf(params: unknown, name: string): string | undefined {
  if (typeof params !== 'object' || params === null) return undefined;
  const value: unknown = Object.getOwnPropertyDescriptor(params, name)?.value;
  return typeof value === 'string' ? value : undefined;
}
