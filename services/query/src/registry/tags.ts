/** Entity tags (RFC 9110, 8.8.3): they tell whether an entity has changed since a client read it. Pure. */
import { createHash } from 'node:crypto';
import { canonicalJson, type FileEntity, type UserEntity } from '@sentinel-node/contracts';

/** Tests a tag against the `If-Match` of a request. */
export type Expected = (tag: string) => boolean;

/**
 * Tests whether a change may proceed. What is missing or deleted passes: the command answers NOT_FOUND, not STALE.
 * @param version of the stream; 0 before its first commit
 */
export type Precondition<E> = (entity: E | undefined, version: number) => boolean;

/** Base64url characters of SHA-256, enough to tell states of one entity apart. */
const DIGEST_CHARACTERS = 22;

/** Returns the tag of what is changed as a whole: a device with its files, a rule, a window, a webhook, a setting. */
export const versionTag = (version: number): string => `"${version}"`;

export const alertTag = (rev: number, sharesRev: number): string => `"${rev}.${sharesRev}"`;

/** Covers the fields that a read shows, so that another user's change does not make the tag stale. */
export function userTag({
  id,
  name,
  emailAddress,
  role,
  active,
}: Pick<UserEntity, 'id' | 'name' | 'emailAddress' | 'role' | 'active'>): string {
  return digest([id, name, emailAddress, role, active]);
}

/** @param stripeId absent when the reader may not see it */
export function organizationTag({
  id,
  name,
  stripeId,
}: {
  readonly id: string;
  readonly name: string;
  readonly stripeId?: string | null;
}): string {
  return digest([id, name, ...(stripeId === undefined ? [] : [stripeId])]);
}

export function fileTag(
  file: Omit<FileEntity, 'creationDate' | 'labels'> & { readonly labels?: readonly string[] },
): string {
  const { id, name, description, path, type, monitoringFrequency, rolled, modifiable, enabled } = file;
  const own = [id, name, description, path, type, monitoringFrequency, rolled, modifiable, enabled];
  const optional = [file.interval ?? null, file.rolledFilenameRegexp ?? null];
  const more = [...(file.watchAttributes === true ? ['watchAttributes'] : []), ...(file.labels ?? [])];
  return digest([...own, ...optional, ...more]);
}

function digest(values: readonly unknown[]): string {
  const text = canonicalJson(values);
  return `"${createHash('sha256').update(text).digest('base64url').slice(0, DIGEST_CHARACTERS)}"`;
}
