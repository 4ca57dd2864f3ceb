/** Attributes of files (protocol, "attributes"): which of them are watched, and what of them changed. */
import {
  ATTRIBUTE_NAMES,
  type AttributeChange,
  type AttributeName,
  type Attributes,
} from './schemas/attributes.ts';

/** Those that an unmodifiable file must keep: permissions, owners, what stands at the path and where a link leads. */
export const WATCHED_ATTRIBUTES = ['kind', 'linkTarget', 'mode', 'owner', 'group'] as const;

/**
 * What is told now and differs from what was told before, in the order of `ATTRIBUTE_NAMES`. What one of the two leaves
 * out is not compared, but for the target of a link: any other kind has none. Part of rules 2: never another outcome.
 */
export function attributeChanges(before: Attributes, after: Attributes): AttributeChange[] {
  return changesOf(ATTRIBUTE_NAMES, before, after);
}

/** Whether attributes that an unmodifiable file must keep are other ones. Part of rules 2: never another outcome. */
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
