/** `ETag` of reads and `If-Match` of changes (RFC 9110, 8.8.3 and 13.1.1). */
import type { DeviceEntity, OrganizationEntity } from '@sentinel-node/contracts';
import {
  deviceTag,
  type Expected,
  fileTag,
  organizationTag,
  type Precondition,
  userTag,
} from '../registry/tags.ts';
import type { Tagged } from '../views/index.ts';

interface Conditional {
  readonly headers: { readonly 'if-match'?: string | undefined };
}

/**
 * Returns the check of `If-Match`, or undefined without a condition. Weak tags match, because proxies weaken tags when
 * they compress.
 */
export function expectedOf({ headers }: Conditional): Expected | undefined {
  const header = headers['if-match'];
  if (header === undefined || header.trim() === '*') return undefined;
  const tags = new Set(header.split(',').map((tag) => tag.trim().replace(/^W\//, '')));
  return (tag) => tags.has(tag);
}

export function deviceExpected(request: Conditional): Precondition<DeviceEntity> | undefined {
  const expected = expectedOf(request);
  return expected && ((_, version) => expected(deviceTag(version)));
}

/** A missing file passes: the command answers NOT_FOUND, not STALE. */
export function fileExpected(request: Conditional, fileId: string): Precondition<DeviceEntity> | undefined {
  const expected = expectedOf(request);
  return (
    expected &&
    (({ files }) => {
      const file = files.find(({ id }) => id === fileId);
      return file === undefined || expected(fileTag(file));
    })
  );
}

export function organizationExpected(request: Conditional): Precondition<OrganizationEntity> | undefined {
  const expected = expectedOf(request);
  return expected && ((organization) => expected(organizationTag(organization)));
}

/** A missing user passes: the command answers NOT_FOUND, not STALE. */
export function userExpected(
  request: Conditional,
  userId: string,
): Precondition<OrganizationEntity> | undefined {
  const expected = expectedOf(request);
  return (
    expected &&
    (({ users }) => {
      const user = users.find(({ id }) => id === userId);
      return user === undefined || expected(userTag(user));
    })
  );
}

/** Returns the entity and sets its tag in the header. */
export function tagged<T>(
  reply: { header(name: string, value: string): unknown },
  { body, tag }: Tagged<T>,
): T {
  reply.header('etag', tag);
  return body;
}
