/** Watched and changed attributes of files (protocol, "attributes"). */
import {
  ATTRIBUTE_NAMES,
  type AttributeChange,
  type AttributeName,
  type Attributes,
} from './schemas/attributes.ts';

/** Attributes that an unmodifiable file must keep: permissions, owners, the kind at the path, and the target of a link. */
export const WATCHED_ATTRIBUTES = ['kind', 'linkTarget', 'mode', 'owner', 'group'] as const;

/**
 * Returns the attributes that differ between two reports, in the order of `ATTRIBUTE_NAMES`. An attribute that one report
 * omits is not compared, except the link target, which counts as null for kinds other than LINK. Part of rules 2: the
 * result must never change.
 */
export function attributeChanges(before: Attributes, after: Attributes): AttributeChange[] {
  return changesOf(ATTRIBUTE_NAMES, before, after);
}

/** Returns true when a watched attribute changed. Part of rules 2: the result must never change. */
export function watchedDiffer(before: Attributes, after: Attributes): boolean {
  return changesOf(WATCHED_ATTRIBUTES, before, after).length > 0;
}

function changesOf(
  names: readonly AttributeName[],
  before: Attributes,
  after: Attributes,
): AttributeChange[] {
  return names.flatMap((name): AttributeChange[] => {
    const [was, is] = [valueOf(before, name), valueOf(after, name)];
    if (was === undefined || is === undefined || was === is) return [];
    return [{ name, before: was, after: is }];
  });
}

/** Returns the value as text; null when the kind has no such attribute; undefined when the report omits it. */
function valueOf(attributes: Attributes, name: AttributeName): string | null | undefined {
  if (name === 'linkTarget' && attributes.kind !== 'LINK') return null;
  const value = attributes[name];
  return value === undefined ? undefined : String(value);
}
