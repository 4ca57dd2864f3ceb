import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { Plugin } from 'vite';

const SOURCE = '/src/first-theme.js';
/** Hexadecimal digits of its content's hash in the name. */
const NAME_DIGITS = 8;

/** Puts the script that chooses the theme before the style sheets, outside of the modules, which run after the first paint. */
export function firstTheme(): Plugin {
  const source = readFileSync(fileURLToPath(new URL(`.${SOURCE}`, import.meta.url)), 'utf8');
  const digest = createHash('sha256').update(source).digest('hex').slice(0, NAME_DIGITS);
  const fileName = `assets/theme-${digest}.js`;
  let isBuild = false;
  return {
    name: 'first-theme',
    configResolved: ({ command }) => {
      isBuild = command === 'build';
    },
    generateBundle() {
      this.emitFile({ type: 'asset', fileName, source });
    },
    transformIndexHtml: {
      order: 'post',
      handler: () => [
        { tag: 'script', attrs: { src: isBuild ? `/${fileName}` : SOURCE }, injectTo: 'head-prepend' },
      ],
    },
  };
}
