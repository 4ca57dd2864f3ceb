/**
 * Requests may have members that only the entity's read has (decision 1 of the specification); such members are
 * dropped, not refused.
 */
import type { TSchema } from 'typebox';

/** Annotation of an object schema: members that a request may have and that are dropped before it is checked. */
export const DROPS = 'x-drops';

interface Node {
  readonly type?: unknown;
  readonly properties?: Readonly<Record<string, Node>>;
  readonly items?: Node;
  readonly [DROPS]?: readonly string[];
}
type Dropper = (value: unknown) => unknown;

/**
 * Returns `schema` for a request body that also accepts, and drops, members of a read. A member of neither is an error.
 * @param alsoKnown names of members at the top level, or the read's schema; with a schema, members of nested objects
 * count too
 */
export function requestSchema<T extends TSchema>(schema: T, alsoKnown: readonly string[] | TSchema): T {
  // oxlint-disable-next-line typescript/no-unsafe-type-assertion -- annotated, it is of the type that it was
  return dropping(schema, alsoKnown) as T;
}

function dropping(schema: Node, alsoKnown: readonly string[] | Node): Node {
  if (!isNames(alsoKnown)) return withDrops(schema, alsoKnown);
  const own = Object.keys(schema.properties ?? {});
  return annotated(schema, { [DROPS]: alsoKnown.filter((name) => !own.includes(name)) });
}

const isNames = (known: readonly string[] | Node): known is readonly string[] => Array.isArray(known);

function withDrops(schema: Node, read: Node): Node {
  if (schema.items !== undefined && read.items !== undefined) {
    return annotated(schema, { items: withDrops(schema.items, read.items) });
  }
  const { properties } = schema;
  if (properties === undefined || read.properties === undefined) return schema;
  const readProperties = read.properties;
  const nested = Object.fromEntries(
    Object.entries(properties).map(([name, own]) => {
      const known = readProperties[name];
      return [name, known === undefined ? own : withDrops(own, known)];
    }),
  );
  const drops = Object.keys(readProperties).filter((name) => !(name in properties));
  return annotated(schema, { properties: nested, [DROPS]: drops });
}

/** Returns a copy with other members; a spread would lose the marks that typebox keeps in members. */
function annotated(schema: Node, members: object): Node {
  return Object.defineProperties(
    {},
    { ...Object.getOwnPropertyDescriptors(schema), ...Object.getOwnPropertyDescriptors(members) },
  );
}

/**
 * Returns a function that removes the members named by `DROPS` at any depth, without changing its argument; undefined
 * when there is nothing to remove.
 */
export function compileDropper(schema: TSchema): Dropper | undefined {
  return dropperOf(schema);
}

function dropperOf(node: Node): Dropper | undefined {
  if (node.items !== undefined) {
    const each = dropperOf(node.items);
    return each && ((value) => (Array.isArray(value) ? value.map(each) : value));
  }
  const drops = new Set(node[DROPS] ?? []);
  const nested = Object.entries(node.properties ?? {}).flatMap(([name, child]) => {
    const dropper = dropperOf(child);
    return dropper === undefined ? [] : [{ name, dropper }];
  });
  if (drops.size === 0 && nested.length === 0) return undefined;
  return (value) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value)) return value;
    const kept = Object.fromEntries(Object.entries(value).filter(([name]) => !drops.has(name)));
    for (const { name, dropper } of nested) if (name in kept) kept[name] = dropper(kept[name]);
    return kept;
  };
}
