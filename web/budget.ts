import { gzipSync } from 'node:zlib';
import type { Plugin, Rolldown } from 'vite';

/** Of everything that the first page loads, by gzip: page, scripts, styles. */
export const FIRST_LOAD_MAX_BYTES = 200_000;

const KB = 1_000;

/** Fails the build when the first page has become too large, with what it consists of. */
export function budget(): Plugin {
  return {
    name: 'budget',
    apply: 'build',
    writeBundle(_, bundle) {
      const sizes = [...firstLoad(bundle)].map((name) => ({
        name,
        bytes: gzipSync(contentOf(bundle[name])).length,
      }));
      const sum = sizes.reduce((total, { bytes }) => total + bytes, 0);
      if (sum <= FIRST_LOAD_MAX_BYTES) return;
      const parts = sizes.map(({ name, bytes }) => `${name} ${kilobytes(bytes)}`).join(', ');
      this.error(
        `the first page loads ${kilobytes(sum)}, more than ${kilobytes(FIRST_LOAD_MAX_BYTES)}: ${parts}. ` +
          'Load later what it does not need at once.',
      );
    },
  };
}

/** Pages, the chunks that they begin with, whatever those import at once, and the styles of all of these. */
function firstLoad(bundle: Rolldown.OutputBundle): Set<string> {
  const names = new Set<string>();
  const add = (name: string): void => {
    const part = bundle[name];
    if (part === undefined || names.has(name)) return;
    names.add(name);
    if (part.type !== 'chunk') return;
    for (const imported of [...part.imports, ...(part.viteMetadata?.importedCss ?? [])]) add(imported);
  };
  for (const [name, part] of Object.entries(bundle))
    if (name.endsWith('.html') || (part.type === 'chunk' && part.isEntry)) add(name);
  return names;
}

const contentOf = (part: Rolldown.OutputAsset | Rolldown.OutputChunk | undefined): string | Uint8Array =>
  part === undefined ? '' : part.type === 'chunk' ? part.code : part.source;

const kilobytes = (bytes: number): string => `${Math.round(bytes / KB)} KB`;
