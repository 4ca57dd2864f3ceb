import type { FastifyInstance } from 'fastify';

/**
 * Common functions of every service: `main.ts` runs one service, `all-in-one` several, through these functions only.
 */
export interface Service {
  readonly name: string;
  /** Registers the routes of the service; called once, before `start`. */
  routes?(app: FastifyInstance): Promise<void> | void;
  /** Starts consumers, timers and outboxes. Resolves when the service can work. */
  start(): Promise<void>;
  /** Stops everything that `start` began, after the work under way; afterwards nothing keeps the process alive. */
  stop(): Promise<void>;
  /** Returns the names of dependencies that are not ready; empty when the service can work. */
  notReady(): readonly string[];
}

/** The caller by current state; `orgId` is null for a user without an organisation or not yet active. */
export interface Caller {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly orgId: string | null;
  readonly role: 'REGULAR' | 'ADMIN' | null;
  /** Present for a program with a service token; `userId` is then the token's id. */
  readonly serviceToken?: { readonly readOnly: boolean };
}

/**
 * Callers that a route allows (decisions 2). `member` and `admin` routes with an `orgId` parameter answer 404 to
 * others (403 to a REGULAR member on an `admin` route); `deviceKey` is checked by ingestion.
 */
export type Access =
  'public' | 'signedIn' | 'withoutOrganization' | 'member' | 'admin' | 'deviceKey' | 'deviceKeyOrMember';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** For a wildcard: returns whether a path, as it was sent, exists, so that 405 can be told from 404. */
    isPath?: (path: string) => boolean;
  }
  interface FastifyRequest {
    /** Set before the handler of every route whose access requires a token. */
    caller: Caller | null;
  }
}
