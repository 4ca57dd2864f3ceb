/** Attributes of files (protocol, "attributes"): which are watched, and which changed. */
import {
  ATTRIBUTE_NAMES,
  type AttributeChange,
  type AttributeName,
  type Attributes,
} from './schemas/attributes.ts';

/** Attributes that an unmodifiable file must keep: permissions, owners, the kind at the path, and the target of a link. */
export const WATCHED_ATTRIBUTES = ['kind', 'linkTarget', 'mode', 'owner', 'group'] as const;

/**
 * The attributes that differ between two reports, in the order of `ATTRIBUTE_NAMES`. An attribute that one of the two
 * leaves out is not compared, except the target of a link, which other kinds do not have. Part of rules 2: the outcome never
 * changes.
 */
export function attributeChanges(before: Attributes, after: Attributes): AttributeChange[] {
  return changesOf(ATTRIBUTE_NAMES, before, after);
}

/** Whether an attribute changed that an unmodifiable file must keep. Part of rules 2: the outcome never changes. */
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

/** As text; null: there is none; undefined: it was left out. */
function valueOf(attributes: Attributes, name: AttributeName): string | null | undefined {
  if (name === 'linkTarget' && attributes.kind !== 'LINK') return null;
  const value = attributes[name];
  return value === undefined ? undefined : String(value);
}
