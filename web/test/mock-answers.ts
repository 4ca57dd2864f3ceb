import { ERRORS, type ErrorCode, type Problem } from '@sentinel-node/contracts';
import type { World } from './fixtures.ts';

export interface MockRequest {
  method: string;
  /** Without /api/v1. */
  path: string;
  query: URLSearchParams;
  body: Record<string, unknown>;
  /** Tag of the state that the call may change. */
  ifMatch?: string | undefined;
}

export interface MockAnswer {
  status: number;
  body: unknown;
  type?: string;
  headers?: Record<string, string>;
}

/** @param ids what stands for the `*` of the route */
export type Handler = (world: World, request: MockRequest, ids: string[]) => MockAnswer;

export const ok = (body: unknown, status = 200): MockAnswer => ({ status, body });

export function problem(code: ErrorCode, detail?: string): MockAnswer {
  const { status, title } = ERRORS[code];
  const body = { type: 'about:blank', title, status, code, requestId: 'r-1', ...(detail && { detail }) };
  return { status, body, type: 'application/problem+json' };
}

/** A refusal of what was sent, with its reasons. */
export function invalid(...errors: NonNullable<Problem['errors']>): MockAnswer {
  const answer = problem('VALIDATION_FAILED');
  return { ...answer, body: { ...(answer.body as object), errors } };
}
