// Bundles the agent into CommonJS files for a single executable: the command, the hashing thread, and the proxy client.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from '../lib/prepare.mjs';

// Resolves vite's own bundler, which also builds the console.
const fromVite = createRequire(createRequire(join(root, 'web/package.json')).resolve('vite'));

/** Loads a file beside the executable: native code, which an executable cannot contain, or code that few agents need. */
const beside = (file) => `require('node:module').createRequire(process.execPath)('./${file}')`;
const NATIVE = beside('libsql.node');
/** Removes white space, because Node keeps the text in memory; names stay for stack traces. */
const SHORTER = { compress: false, mangle: false, codegen: { removeWhitespace: true } };
/** Modules of which only the used parts are bundled: a tenth of TypeBox. */
const WITHOUT_SIDE_EFFECTS = /[\\/](node_modules[\\/]typebox|contracts[\\/]dist)[\\/]/;

const fromAgent = createRequire(join(root, 'services/agent/package.json'));

/** Writes the files. @param version printed by `--version` */
export async function bundle({ version, folder }) {
  const { rolldown } = await import(fromVite.resolve('rolldown'));
  const write = async (input, name) => {
    const build = await rolldown({
      input,
      platform: 'node',
      plugins: [packaged(version)],
      treeshake: { moduleSideEffects: (id) => !WITHOUT_SIDE_EFFECTS.test(id) },
      logLevel: 'warn',
    });
    await build.write({ file: join(folder, name), format: 'cjs', codeSplitting: false, minify: SHORTER });
    await build.close();
    return join(folder, name);
  };
  return {
    main: await write(join(root, 'scripts/package/entry.mjs'), 'main.cjs'),
    worker: await write(join(root, 'services/agent/dist/src/io/hash-worker.js'), 'hash-worker.js'),
    proxy: await write(fromAgent.resolve('undici'), 'undici.js'),
  };
}

/**
 * Replaces what an installed agent reads from its package: its version, undici, and the native part of libsql; and `import()`, which
 * an executable with a code cache does not have.
 */
function packaged(version) {
  const versionFile = join(root, 'services/agent/dist/src/version.js');
  const networkFile = join(root, 'services/agent/dist/src/net/network.js');
  return {
    name: 'packaged',
    load: (id) =>
      id === versionFile ? `export const agentVersion = async () => ${JSON.stringify(version)};` : null,
    transform: (code, id) => {
      if (id === networkFile)
        return changed(
          changed(code, `import('undici')`, beside('undici.js')),
          `import('node:tls')`,
          `require('node:tls')`,
        );
      if (!id.endsWith(join('node_modules', 'libsql', 'index.js'))) return null;
      const loaderless = code.replace(/^const \{[^}]*\} = require\("(@neon-rs\/load|detect-libc)"\);$/gm, '');
      return changed(
        loaderless,
        /^function requireNative\(\) \{[^]*?^\}/m,
        `function requireNative() { return ${NATIVE}; }`,
      );
    },
  };
}

/** Replaces `place` in `code`. @throws Error when the code no longer has the place */
function changed(code, place, by) {
  const after = code.replace(place, by);
  if (after === code) throw new Error(`${place} is not there to be replaced by ${by}`);
  return after;
}

/** Returns the path of libsql's native part for this machine. */
export function nativeFile() {
  const libsql = createRequire(fromAgent.resolve('libsql'));
  const isMusl = process.report.getReport().header.glibcVersionRuntime === undefined;
  const target = `${process.platform}-${process.arch}${process.platform === 'linux' ? (isMusl ? '-musl' : '-gnu') : ''}`;
  return join(dirname(libsql.resolve(`@libsql/${target}/package.json`)), 'index.node');
}
