import type { Plugin } from 'vite';

/** Leaves the descriptions of schemas out of the console: they are for the document of the API, and many. */
export function withoutDescriptions(): Plugin {
  return {
    name: 'without-descriptions',
    apply: 'build',
    transform: {
      filter: { id: /[\\/]contracts[\\/]dist[\\/]src[\\/]schemas[\\/][\w-]+\.js$/ },
      handler(code) {
        const texts: Text[] = [];
        takeDescriptions(this.parse(code), texts);
        // From the end, so that the places before stay.
        return texts.reduceRight(
          (left, { start, end }) => `${left.slice(0, start)}''${left.slice(end)}`,
          code,
        );
      },
    },
  };
}

/** Place of a text in the code. */
interface Text {
  readonly start: number;
  readonly end: number;
}

/** Adds the texts of members `description`, in order; other values, such as the schema of a member of this name, stay. */
function takeDescriptions(node: unknown, to: Text[]): void {
  if (Array.isArray(node)) for (const one of node) takeDescriptions(one, to);
  if (!isNode(node)) return;
  const { type, key, value } = node;
  if (type === 'Property' && isNode(key) && key['name'] === 'description' && isText(value)) to.push(value);
  else for (const child of Object.values(node)) takeDescriptions(child, to);
}

type Node = Readonly<Record<string, unknown>>;

const isNode = (value: unknown): value is Node =>
  typeof value === 'object' && value !== null && 'type' in value;

const isText = (value: unknown): value is Node & Text =>
  isNode(value) &&
  (value['type'] === 'TemplateLiteral' ||
    (value['type'] === 'Literal' && typeof value['value'] === 'string'));
