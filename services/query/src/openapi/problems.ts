/** Derives the refusals of a call from the kind of the call. */
import { ERRORS, type ErrorCode, type Problem } from '@sentinel-node/contracts';
import type { Access } from '@sentinel-node/platform';
import type { Operation } from './operation.ts';

export interface CallKind {
  readonly access: Access;
  readonly isSafe: boolean;
  readonly hasParams: boolean;
  readonly hasQuery: boolean;
}

const EVERY_CALL: readonly ErrorCode[] = [
  'MALFORMED_REQUEST',
  'HEADERS_TOO_LARGE',
  'HOST_NOT_ALLOWED',
  'RATE_LIMITED',
  'INTERNAL',
  'OVERLOADED',
  'NOT_DURABLE',
  'UNAVAILABLE',
];

/** Returns the codes by status. */
export function refusalsOf(kind: CallKind, { refuses = [], ifMatch }: Operation): Map<number, ErrorCode[]> {
  const codes: ErrorCode[] = [...refuses, ...accessCodes(kind)];
  if (kind.hasParams) codes.push('NOT_FOUND');
  if (ifMatch === true) codes.push('STALE', 'CONFLICT');
  // A body is checked even when the call does not need one.
  if (!kind.isSafe) codes.push('REQUEST_TIMEOUT', 'PAYLOAD_TOO_LARGE', 'UNSUPPORTED_MEDIA_TYPE');
  if (kind.hasQuery || !kind.isSafe) codes.push('VALIDATION_FAILED');
  const byStatus = new Map<number, ErrorCode[]>();
  for (const code of new Set([...codes, ...EVERY_CALL])) {
    const { status } = ERRORS[code];
    byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

function accessCodes({ access, isSafe }: CallKind): ErrorCode[] {
  if (access === 'deviceKey') return ['INVALID_API_KEY'];
  if (access === 'deviceKeyOrMember') return ['INVALID_API_KEY', 'UNAUTHENTICATED'];
  const xsrf: ErrorCode[] = isSafe ? [] : ['XSRF'];
  // The call needs no token. When it carries one, the rules for calls with a token apply.
  if (access === 'public') return xsrf;
  // Members may read everything, but some service tokens may only read.
  const role: ErrorCode[] = access === 'member' && isSafe ? [] : ['FORBIDDEN'];
  return ['UNAUTHENTICATED', ...xsrf, ...role];
}

export function problemExample(code: ErrorCode): Problem {
  const { status, title } = ERRORS[code];
  const problem = { type: 'about:blank', title, status, code, requestId: '3f2a9c1b7d4e-1k' };
  if (code !== 'VALIDATION_FAILED') return problem;
  return { ...problem, detail: 'the body is not valid', errors: [{ path: '/name', message: 'is required' }] };
}
