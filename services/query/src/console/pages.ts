/** Serves the built console: its files, and its page for every URL that the console routes itself. */
import { readdir } from 'node:fs/promises';
import { relative, join, sep } from 'node:path';
import fastifyStatic from '@fastify/static';
import type { App, Fallback } from '@sentinel-node/platform';
import { setSecurityHeaders } from '../http/security-headers.ts';

const PAGE = 'index.html';
/** The verifier page in one file, to be saved and opened from a disk. */
const SAVED_PAGE = { file: 'verify.html', name: 'sentinel-verify.html' };
/** Vite puts files here under names that contain the hash of their content. */
const HASHED_FOLDER = 'assets/';
const YEAR_MS = 365 * 24 * 3_600_000;
/** Paths of the API, of development and of the published log: an unknown URL there is no page. */
const NOT_THE_CONSOLES = ['api/', 'dev-', 'tile/', 'batches/', 'consistency/', HASHED_FOLDER];

/** Answers GETs that no route takes; returns undefined when the URL is no page of the console. */
export async function consolePages(app: App, folder: string): Promise<Fallback> {
  const files = await filesOf(folder);
  await app.register(fastifyStatic, {
    root: folder,
    serve: false,
    cacheControl: false,
    dotfiles: 'ignore',
    // The build leaves a compressed copy beside each asset.
    preCompressed: true,
  });
  return async (request, reply) => {
    const path = request.url.split('?', 1)[0]!.slice(1);
    const isFile = files.has(path) && path !== PAGE;
    if (!isFile && !isPage(path, request.headers.accept)) return undefined;
    await setSecurityHeaders(reply);
    // Search engines must not index a shared alert.
    if (path.startsWith('share/')) void reply.header('x-robots-tag', 'noindex, nofollow');
    if (isFile && path === SAVED_PAGE.file)
      void reply.header('content-disposition', `attachment; filename="${SAVED_PAGE.name}"`);
    const hashed = isFile && path.startsWith(HASHED_FOLDER);
    void reply.header('vary', 'accept-encoding');
    void reply.header('cache-control', hashed ? `public, max-age=${YEAR_MS / 1_000}, immutable` : 'no-cache');
    return reply.code(200).sendFile(isFile ? path : PAGE);
  };
}

function isPage(path: string, accept = ''): boolean {
  const wantsPage = accept.includes('text/html') || accept.includes('*/*') || accept === '';
  return wantsPage && !NOT_THE_CONSOLES.some((prefix) => path.startsWith(prefix));
}

async function filesOf(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return new Set(
    files.map(({ parentPath, name }) => relative(folder, join(parentPath, name)).split(sep).join('/')),
  );
}
