/** Entity tags (RFC 9110, 8.8.3): what a client has read, told from what stands now. Pure. */
import { createHash } from 'node:crypto';
import { canonicalJson, type FileEntity, type UserEntity } from '@sentinel-node/contracts';

/** What a request expects to find; from `If-Match`. */
export type Expected = (tag: string) => boolean;

/** Whether a change may go on; absent: whatever stands now. */
export type Precondition<E> = (entity: E, version: number) => boolean;

/** Enough of a SHA-256 to tell two states of one entity apart, in characters of base64url. */
const DIGEST_CHARACTERS = 22;

/** With its files: any change of one of them is a change of the device. */
export const deviceTag = (version: number): string => `"${version}"`;

export const alertTag = (rev: number, sharesRev: number): string => `"${rev}.${sharesRev}"`;

/** Of what a read shows, so that a change of another user does not make it stale. */
export function userTag({
  id,
  name,
  emailAddress,
  role,
  active,
}: Pick<UserEntity, 'id' | 'name' | 'emailAddress' | 'role' | 'active'>): string {
  return digest([id, name, emailAddress, role, active]);
}

/** @param stripeId absent: the reader may not see it */
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
