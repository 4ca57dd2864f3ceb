/** Serves the built console as the web server in front does. */
import { existsSync } from 'node:fs';
import { readFile } from 'node:fs/promises';
import type { ServerResponse } from 'node:http';
import { extname, join, normalize } from 'node:path';
import { ROOT } from './node.ts';
import { PAGE_HEADERS } from './routes.ts';

const FOLDER = join(ROOT, 'web/dist');
const TYPES: Readonly<Record<string, string>> = {
  '.css': 'text/css',
  '.html': 'text/html',
  '.js': 'text/javascript',
  '.json': 'application/json',
  '.svg': 'image/svg+xml',
};

/** Sends the file, or the page whose script handles the address. */
export async function sendConsole(path: string, to: ServerResponse): Promise<void> {
  const wanted = join(FOLDER, normalize(path));
  const file = wanted.startsWith(FOLDER) && extname(wanted) !== '' && existsSync(wanted) ? wanted : undefined;
  const content = await readFile(file ?? join(FOLDER, 'index.html'));
  const type = TYPES[extname(file ?? '.html')] ?? TYPES['.html'];
  to.writeHead(200, { ...PAGE_HEADERS, 'content-type': `${type}; charset=utf-8` }).end(content);
}
