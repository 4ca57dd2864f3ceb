/** Finds the service for a call from `routes.conf`, as the web server of `deploy/web` does. */
import { readFileSync } from 'node:fs';
import type { IncomingHttpHeaders } from 'node:http';
import { join } from 'node:path';
import { ROOT } from './node.ts';

interface Table {
  readonly source: string;
  readonly fallback: string;
  readonly rules: readonly { readonly expression: RegExp; readonly value: string }[];
}

const MAP = /map "([^"]+)" \$(\w+) \{([^]*?)\n\}/g;
const RULE = /^\s*"~(.+)" (\S+);$/gm;
/** Matches a header with a constant value, independent of the request. */
const HEADER = /^add_header (\S+) (?:"([^"]+)"|([^"$;]+));$/gm;
const WEB = join(ROOT, 'deploy/web');

const tables = new Map(
  [...readFileSync(join(WEB, 'routes.conf'), 'utf8').matchAll(MAP)].map(
    ([, source = '', name = '', body = '']): [string, Table] => {
      const rules = [...body.matchAll(RULE)].map(([, expression = '', value = '']) => {
        return { expression: new RegExp(expression), value };
      });
      return [name, { source, fallback: /^\s*default (\S+);$/m.exec(body)?.[1] ?? '', rules }];
    },
  ),
);

/** Headers of every page of the console. */
export const PAGE_HEADERS: Readonly<Record<string, string>> = Object.fromEntries(
  [...readFileSync(join(WEB, 'security-headers.conf'), 'utf8').matchAll(HEADER)].map(
    ([, name = '', quoted, bare = '']) => [name, quoted ?? bare],
  ),
);

/** Expressions of paths that belong to services: those of all locations by expression. */
const TO_SERVICES = [...readFileSync(join(WEB, 'nginx.conf'), 'utf8').matchAll(/location ~ (\^\S+) \{/g)].map(
  ([, expression = '']) => new RegExp(expression),
);

/** Returns the service of a call; undefined for a file or page of the console. */
export function serviceOf(method: string, path: string, headers: IncomingHttpHeaders): string | undefined {
  if (!TO_SERVICES.some((one) => one.test(path))) return undefined;
  const sent = Object.entries(headers).map(([name, value]) => [
    `http_${name.replaceAll('-', '_')}`,
    String(value),
  ]);
  return valueOf('service', { request_method: method, uri: path, ...Object.fromEntries(sent) });
}

/** Returns the value of the first matching expression, else the default; a value may name another map. */
function valueOf(name: string, variables: Readonly<Record<string, string>>): string {
  const table = tables.get(name);
  if (table === undefined) throw new Error(`routes.conf has no map $${name}`);
  const key = table.source.replace(/\$(\w+)/g, (_, variable: string) => variables[variable] ?? '');
  const value = table.rules.find(({ expression }) => expression.test(key))?.value ?? table.fallback;
  return value.startsWith('$') ? valueOf(value.slice(1), variables) : value;
}
