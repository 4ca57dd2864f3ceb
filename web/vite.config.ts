import react from '@vitejs/plugin-react';
import { defineConfig } from 'vite';

const server = 'http://localhost:8443';

export default defineConfig({
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
  server: {
    proxy: Object.fromEntries(
      ['/api', '/console-config.json', '/dev-wallet', '/dev-mail'].map((path) => [path, server]),
    ),
  },
});
