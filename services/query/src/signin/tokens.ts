/**
 * Signs the service's own JWT (RFC 7519, HS256). The token only names a session; all else is read from current state.
 */
import fastifyJwt from '@fastify/jwt';
import type { FastifyInstance } from 'fastify';
import { PURPOSES, purposeKey } from '@sentinel-node/platform';
import { Compile } from 'typebox/compile';
import { Type } from 'typebox';
import type { Session } from './sessions.ts';

export interface Tokens {
  /** The same session always gets the same token. */
  tokenOf(session: Session): string;
  /** Returns undefined for a token that this key did not sign. The session holds the expiry. */
  jtiOf(token: string): string | undefined;
}

/** Longer tokens are not parsed, in characters. */
const TOKEN_CHARACTERS = 2_000;
const payload = Compile(Type.Object({ jti: Type.String() }));

/** @param keyNumber names the derived key (`kid`); a new number ends every token */
export async function registerTokens(
  app: FastifyInstance,
  masterSecret: string,
  keyNumber: number,
): Promise<Tokens> {
  const kid = String(keyNumber);
  await app.register(fastifyJwt, {
    secret: Buffer.from(purposeKey(masterSecret, PURPOSES.sessionTokens, kid)),
    sign: { algorithm: 'HS256', kid },
    // The JWT library reads the process's clock, which tests cannot move; the session carries the same expiry.
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
