import type { FastifyInstance } from 'fastify';

/** What every service of the system is: `main.ts` runs one, `all-in-one` several, through these functions only. */
export interface Service {
  readonly name: string;
  /** Registers the routes of the service; called once, before `start`. */
  routes?(app: FastifyInstance): Promise<void> | void;
  /** Consumers, timers, outboxes. Resolves when the service can work. */
  start(): Promise<void>;
  /** Ends what `start` began, finishing what is in hand; afterwards nothing keeps the process alive. */
  stop(): Promise<void>;
  /** Names of what is not ready; empty when the service can do its work. */
  notReady(): readonly string[];
}

/** Who calls, from current state; `orgId` is null without an organisation and while the user is not active. */
export interface Caller {
  readonly userId: string;
  readonly email: string;
  readonly name: string;
  readonly orgId: string | null;
  readonly role: 'REGULAR' | 'ADMIN' | null;
}

/**
 * Who may call a route (decisions 2). `member` and `admin` routes with an `orgId` parameter answer 404 to anybody else
 * (403 to a REGULAR member on an `admin` route); `deviceKey` is checked by ingestion.
 */
export type Access =
  'public' | 'signedIn' | 'withoutOrganization' | 'member' | 'admin' | 'deviceKey' | 'deviceKeyOrMember';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** Of a wildcard: whether a path, as it was sent, exists, so that 405 can be told from 404. */
    isPath?: (path: string) => boolean;
  }
  interface FastifyRequest {
    /** Set before the handler of every route whose access asks for a token. */
    caller: Caller | null;
  }
}
