/**
 * Notes of registry events (decision 10 of the specification): JSON with the actor and the change; plain text for
 * MODIFY_DEVICE.
 */
import type { Actor } from './decision.ts';

export function note(by: Actor | null, what: Readonly<Record<string, unknown>>): string {
  return JSON.stringify({ by: by?.email ?? null, ...what });
}

export function plainNote(by: Actor | null, what: string): string {
  return `${what} by ${by?.email ?? 'the system'}`;
}
