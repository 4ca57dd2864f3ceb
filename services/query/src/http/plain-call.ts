import type { FastifyReply, FastifyRequest } from 'fastify';

export interface PlainCall {
  readonly request: FastifyRequest;
  readonly reply: FastifyReply;
}

/** Drops the types of the route, for code that several routes share. */
export function plainCall(request: object, reply: object): PlainCall {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- given by Fastify, whose types differ by route
  return { request, reply } as PlainCall;
}
