import { readFile, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { brotliCompressSync, gzipSync } from 'node:zlib';
import react from '@vitejs/plugin-react';
import { defineConfig, type InlineConfig, type Plugin } from 'vite';
import { budget } from './budget.ts';
import { firstTheme } from './first-theme.ts';
import { buildOfflinePage, offlinePage } from './offline-page.ts';
import { withoutDescriptions } from './without-descriptions.ts';

const COMPRESSED_MIN_BYTES = 1_024;

/**
 * Beside each asset the same one compressed, which the server hands out as it is. Once everything is written: until then
 * Vite still changes the code that loads a part later.
 */
function compressed(): Plugin {
  return {
    name: 'compressed',
    apply: 'build',
    async writeBundle({ dir = '' }, bundle) {
      for (const name of Object.keys(bundle).filter((file) => /\.(js|css|svg)$/.test(file))) {
        const content = await readFile(join(dir, name));
        if (content.length < COMPRESSED_MIN_BYTES) continue;
        await writeFile(join(dir, `${name}.br`), brotliCompressSync(content));
        await writeFile(join(dir, `${name}.gz`), gzipSync(content, { level: 9 }));
      }
    },
  };
}

const server = 'http://localhost:8443';

const shared = {
  plugins: [react()],
  resolve: {
    // The workspace's root holds another React for the test runner's reporter: two copies make a white page.
    dedupe: ['react', 'react-dom'],
    // `#sha256` of the contracts has a `node` branch; without that condition the portable one is taken.
    conditions: ['browser', 'module', 'import', 'default'],
  },
  build: {
    target: 'es2022',
    modulePreload: { polyfill: false },
    chunkSizeWarningLimit: 450,
    // An inlined asset would be a data: URL, which the content security policy refuses.
    assetsInlineLimit: 0,
    rolldownOptions: {
      // Contracts and typebox only declare: what is not imported by name can go.
      treeshake: {
        moduleSideEffects: (id: string) => !/[\\/](contracts|typebox)[\\/]/.test(id),
      },
    },
  },
} satisfies InlineConfig;

export default defineConfig(async ({ command }) => {
  const page = command === 'build' ? await buildOfflinePage(shared) : undefined;
  return {
    ...shared,
    build: {
      ...shared.build,
      rolldownOptions: {
        ...shared.build.rolldownOptions,
        // What the console begins with is one file, whatever later parts share with it. Of what it imports it uses no hash.
        output: {
          codeSplitting: {
            groups: [
              {
                name: 'console',
                tags: ['$initial'],
                includeDependenciesRecursively: false,
                test: (id: string) => !/[\\/](@noble|contracts[\\/]dist[\\/]src[\\/]log[\\/]merkle)/.test(id),
              },
            ],
          },
        },
      },
    },
    plugins: [
      ...shared.plugins,
      withoutDescriptions(),
      firstTheme(),
      compressed(),
      budget(),
      ...(page === undefined ? [] : [offlinePage(page)]),
    ],
    define: { SAVED_PAGE_SHA256: JSON.stringify(page?.sha256 ?? '') },
    server: {
      proxy: Object.fromEntries(
        ['/api', '/console-config.json', '/dev-wallet', '/dev-mail'].map((path) => [path, server]),
      ),
    },
  };
});
