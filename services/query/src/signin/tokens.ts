/** Our own JWT (RFC 7519, HS256). It only names a session: everything else is read from current state. */
import fastifyJwt from '@fastify/jwt';
import type { FastifyInstance } from 'fastify';
import { PURPOSES, purposeKey } from '@sentinel-node/platform';
import { Compile } from 'typebox/compile';
import { Type } from 'typebox';
import type { Session } from './sessions.ts';

export interface Tokens {
  /** The same session gives the same token. */
  tokenOf(session: Session): string;
  /** undefined: not a token of ours, or of another key. Expiry is the session's. */
  jtiOf(token: string): string | undefined;
}

/** Longest token that is looked at, in characters. */
const TOKEN_CHARACTERS = 2_000;
const payload = Compile(Type.Object({ jti: Type.String() }));

/** @param keyNumber names the derived key (`kid`): with another one every token ends */
export async function registerTokens(
  app: FastifyInstance,
  masterSecret: string,
  keyNumber: number,
): Promise<Tokens> {
  const kid = String(keyNumber);
  await app.register(fastifyJwt, {
    secret: Buffer.from(purposeKey(masterSecret, PURPOSES.sessionTokens, kid)),
    sign: { algorithm: 'HS256', kid },
    // The clock of the process is not the one that tests move; the session carries the same time.
    verify: { algorithms: ['HS256'], ignoreExpiration: true },
  });
  return {
    tokenOf: ({ id, walletUserId, createdAt, expiresAt }) =>
      app.jwt.sign({
        jti: id,
        sub: walletUserId,
        iat: Math.floor(createdAt / 1_000),
        exp: Math.floor(expiresAt / 1_000),
      }),
    jtiOf: (token) => {
      if (token.length > TOKEN_CHARACTERS) return undefined;
      try {
        const claims: unknown = app.jwt.verify(token);
        return payload.Check(claims) ? claims.jti : undefined;
      } catch {
        return undefined;
      }
    },
  };
}
