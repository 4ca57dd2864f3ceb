// The agent as files of CommonJS, as a single executable needs them: the command, the thread that hashes, and the way through a proxy.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from '../lib/prepare.mjs';

// The bundler that vite builds the console with.
const fromVite = createRequire(createRequire(join(root, 'web/package.json')).resolve('vite'));

/** What lies beside the executable: native code, which an executable cannot hold, and what few agents need. */
const beside = (file) => `require('node:module').createRequire(process.execPath)('./${file}')`;
const NATIVE = beside('libsql.node');
/** Node keeps the text in memory; names stay for stack traces. */
const SHORTER = { compress: false, mangle: false, codegen: { removeWhitespace: true } };
/** Only what is used of these is taken along: of TypeBox, a tenth. */
const WITHOUT_SIDE_EFFECTS = /[\\/](node_modules[\\/]typebox|contracts[\\/]dist)[\\/]/;

const fromAgent = createRequire(join(root, 'services/agent/package.json'));

/** @param version what `--version` says */
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

/** What the agent finds in its package elsewhere: its version, and the native part of libsql. */
function packaged(version) {
  const versionFile = join(root, 'services/agent/dist/src/version.js');
  const networkFile = join(root, 'services/agent/dist/src/net/network.js');
  return {
    name: 'packaged',
    load: (id) =>
      id === versionFile ? `export const agentVersion = async () => ${JSON.stringify(version)};` : null,
    transform: (code, id) => {
      if (id === networkFile) return changed(code, `import('undici')`, beside('undici.js'));
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

/** @throws Error the place is not there any more */
function changed(code, place, by) {
  const after = code.replace(place, by);
  if (after === code) throw new Error(`${place} is not there to be replaced by ${by}`);
  return after;
}

/** The file of libsql's native part for this machine. */
export function nativeFile() {
  const libsql = createRequire(fromAgent.resolve('libsql'));
  const isMusl = process.report.getReport().header.glibcVersionRuntime === undefined;
  const target = `${process.platform}-${process.arch}${process.platform === 'linux' ? (isMusl ? '-musl' : '-gnu') : ''}`;
  return join(dirname(libsql.resolve(`@libsql/${target}/package.json`)), 'index.node');
}
