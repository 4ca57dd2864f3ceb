/** Results of the registry's pure functions: a change, no change, or a refusal with its code. */
import type { ErrorCode, EventType, Policy } from '@sentinel-node/contracts';

/** The person who gives a command. */
export interface Actor {
  readonly userId: string;
  readonly email: string;
  /** Checks just before the commit that the caller may still give the command; throws the refusal. */
  readonly confirm?: (() => Promise<void>) | undefined;
}

/** Input of a decision besides the entity and the command. */
export interface Stamp {
  /** Milliseconds since the Unix epoch. */
  readonly at: number;
  /** Version of the stream after the commit. */
  readonly version: number;
  /** null when the person is not known to the registry (an activation link). */
  readonly by: Actor | null;
}

export interface FieldProblem {
  /** JSON Pointer (RFC 6901) into the request's body. */
  readonly path: string;
  readonly message: string;
}

export interface EventDraft {
  readonly type: EventType;
  readonly deviceId: string | null;
  readonly fileId: string | null;
  /** Absent when the event is about no alert. */
  readonly alertId?: string;
  readonly note: string;
}

/** Policy of a file from this commit on. */
export interface PolicyChange {
  readonly fileId: string;
  readonly policy: Policy;
  readonly deleted: boolean;
  /** The path or the frequency is another one. */
  readonly rebaseline?: true;
}

export interface Changed<E> {
  readonly kind: 'changed';
  readonly entity: E;
  readonly events: readonly EventDraft[];
  readonly policies: readonly PolicyChange[];
}
export interface Refused {
  readonly kind: 'refused';
  readonly code: ErrorCode;
  readonly detail?: string;
  readonly errors?: readonly FieldProblem[];
}
export type Decision<E> = Changed<E> | { readonly kind: 'unchanged' } | Refused;

export const UNCHANGED = { kind: 'unchanged' } as const;

export function refuse(code: ErrorCode, detail?: string): Refused {
  return { kind: 'refused', code, ...(detail === undefined ? {} : { detail }) };
}

export function invalid(...errors: readonly FieldProblem[]): Refused {
  return { kind: 'refused', code: 'VALIDATION_FAILED', errors };
}
