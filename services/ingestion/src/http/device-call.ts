import { ApiError, rateLimited, type RateLimiter } from '@sentinel-node/platform';
import type { FastifyReply, FastifyRequest, RouteShorthandOptions } from 'fastify';
import type { DeviceAddress } from '../devices.ts';
import type { Refusal } from '../domain/accept.ts';
import type { BodyBudget } from '../body-budget.ts';
import { readBody } from './read-body.ts';

export interface DeviceParams {
  readonly orgId: string;
  readonly deviceId: string;
}

export function addressOf(request: FastifyRequest, { orgId, deviceId }: DeviceParams): DeviceAddress {
  const apiKey = request.headers['x-api-key'];
  return {
    orgId,
    deviceId,
    apiKey: typeof apiKey === 'string' ? apiKey : '',
    get ip() {
      return request.ip;
    },
  };
}

/** @throws ApiError RATE_LIMITED */
export function pass(limiter: RateLimiter, deviceId: string, cost = 1): void {
  const taken = limiter.take(deviceId, cost);
  if (!taken.allowed) throw rateLimited(limiter.limit, taken, 'The device sends more than it may.');
}

export function errorOf({ code, detail, errors }: Refusal): ApiError {
  return new ApiError(code, detail, errors);
}

/** Holds the body while `work` runs. A body that was not read to its end takes its connection with it. */
export async function withBody<T>(
  request: FastifyRequest,
  reply: FastifyReply,
  {
    bodies,
    gzip,
    maxBytes,
  }: { readonly bodies: BodyBudget; readonly gzip: boolean; readonly maxBytes: number },
  work: (body: Buffer) => Promise<T>,
): Promise<T> {
  const share = bodies.share();
  try {
    let body: Buffer;
    try {
      body = await readBody(request.raw, { maxBytes, gzip, share });
    } catch (error) {
      if (!request.raw.readableEnded) void reply.header('connection', 'close');
      throw error;
    }
    return await work(body);
  } finally {
    share.release();
  }
}

/** Bodies are read and judged by the handlers: the schemas are there for the description of the API only. */
export const DESCRIBED_ONLY = {
  validatorCompiler: () => () => true,
  serializerCompiler: () => JSON.stringify,
} satisfies RouteShorthandOptions;
