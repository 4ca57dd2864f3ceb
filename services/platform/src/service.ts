import type { DeviceLimits } from '@sentinel-node/contracts';
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
  /** Present when a program calls with a service token, whose id `userId` is then. */
  readonly serviceToken?: {
    readonly readOnly: boolean;
    /** null: the whole organisation. */
    readonly limits: DeviceLimits | null;
  };
}

/**
 * Callers that a route allows (decision 2 of the specification). `member` and `admin` routes with an `orgId` parameter
 * answer 404 to others (403 to a REGULAR member on an `admin` route); `deviceKey` is checked by ingestion.
 */
export type Access =
  | 'public'
  | 'signedIn'
  | 'withoutOrganization'
  | 'member'
  | 'admin'
  | 'deviceKey'
  | 'deviceKeyOrMember';

/**
 * How a route serves a service token that is limited to devices: `deviceId` and `id` name the parameter of the path
 * with the device, of which alone the call is; `answer`: the handler reads and changes what `request.within` holds.
 */
export type DeviceLimit = 'deviceId' | 'id' | 'answer';

declare module 'fastify' {
  interface FastifyContextConfig {
    access?: Access;
    /** For `signedIn`: service tokens too. Other calls of this kind are for people. */
    takesServiceTokens?: true;
    /** Absent: limited tokens are refused. */
    deviceLimit?: DeviceLimit;
    /** For a wildcard: returns whether a path, as it was sent, exists, so that 405 can be told from 404. */
    isPath?: (path: string) => boolean;
  }
  interface FastifyRequest {
    /** Set before the handler of every route whose access requires a token. */
    caller: Caller | null;
    /** Devices of a limited service token, on routes whose `deviceLimit` is `answer`; null: not limited. */
    within: ReadonlySet<string> | null;
  }
}
