/** `ETag` of reads and `If-Match` of changes (RFC 9110, 8.8.3 and 13.1.1). */
import type { DeviceEntity, OrganizationEntity } from '@sentinel-node/contracts';
import {
  type Expected,
  fileTag,
  organizationTag,
  type Precondition,
  userTag,
  versionTag,
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

const isDeleted = (entity: object): boolean => 'deleted' in entity && entity.deleted === true;

export function versionExpected(request: Conditional): Precondition<object> | undefined {
  const expected = expectedOf(request);
  return (
    expected &&
    ((entity, version) => entity === undefined || isDeleted(entity) || expected(versionTag(version)))
  );
}

/** Tests a rule. The default rule, which has the id of the organisation, exists before its first commit. */
export function ruleExpected(
  request: Conditional,
  { id, orgId }: { readonly id: string; readonly orgId: string },
): Precondition<object> | undefined {
  const expected = expectedOf(request);
  const ofSaved = versionExpected(request);
  return (
    expected &&
    ((rule, version) =>
      rule === undefined && id === orgId ? expected(versionTag(version)) : ofSaved!(rule, version))
  );
}

export function fileExpected(request: Conditional, fileId: string): Precondition<DeviceEntity> | undefined {
  const expected = expectedOf(request);
  return (
    expected &&
    ((device) => {
      const file = device?.deleted === false ? device.files.find(({ id }) => id === fileId) : undefined;
      return file === undefined || expected(fileTag(file));
    })
  );
}

export function organizationExpected(request: Conditional): Precondition<OrganizationEntity> | undefined {
  const expected = expectedOf(request);
  return (
    expected && ((organization) => organization === undefined || expected(organizationTag(organization)))
  );
}

export function userExpected(
  request: Conditional,
  userId: string,
): Precondition<OrganizationEntity> | undefined {
  const expected = expectedOf(request);
  return (
    expected &&
    ((organization) => {
      const user = organization?.users.find(({ id }) => id === userId);
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
