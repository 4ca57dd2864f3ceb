/** The OpenAPI document of a world with its references resolved, and its calls by name. */
import type { DescribedCall } from '../src/openapi/document.ts';
import type { World } from './world.ts';

type Media = { schema: object; example?: unknown; examples?: Record<string, object> };
export type ReadCall = Omit<DescribedCall, 'responses' | 'requestBody'> & {
  readonly responses: Record<
    string,
    { description: string; content?: Record<string, Media>; headers?: object }
  >;
  readonly requestBody?: { content: Record<string, Media> };
};
export interface ReadDocument {
  readonly openapi: string;
  readonly paths: Record<string, Record<string, ReadCall>>;
}

export async function documentOf(world: World): Promise<ReadDocument> {
  return (await world.call('GET', '/openapi.json')).body as ReadDocument;
}

/** Returns the calls below /api/v1. */
export function callsOf(
  document: ReadDocument,
): { name: string; method: string; path: string; call: ReadCall }[] {
  return Object.entries(document.paths).flatMap(([path, calls]) =>
    Object.entries(calls)
      .filter(([, { servers }]) => servers === undefined)
      .map(([method, call]) => ({
        name: `${method.toUpperCase()} ${path.replaceAll(/\{(\w+)\}/g, ':$1')}`,
        method: method.toUpperCase(),
        path,
        call,
      })),
  );
}

/** Returns the name of a route in the document. */
export const nameOf = ({ method, url }: { readonly method: string; readonly url: string }): string =>
  `${method} ${url.replace(/^\/api\/v1/, '')}`;

/** Returns the value with every `$ref` replaced by its target. */
export function inlined<T extends object>(document: ReadDocument, value: T): T {
  return JSON.parse(
    JSON.stringify(value, (_, part: unknown) => {
      const ref = typeof part === 'object' && part !== null ? (part as { $ref?: unknown }).$ref : undefined;
      if (typeof ref !== 'string') return part;
      return ref
        .slice(2)
        .split('/')
        .reduce<unknown>((value, name) => (value as Record<string, unknown>)[name], document);
    }),
  ) as T;
}
