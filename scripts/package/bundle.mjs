// The agent as two files of CommonJS, as a single executable needs them: the command, and the thread that hashes.
import { createRequire } from 'node:module';
import { dirname, join } from 'node:path';
import { root } from '../lib/prepare.mjs';

// The bundler that vite builds the console with.
const fromVite = createRequire(createRequire(join(root, 'web/package.json')).resolve('vite'));

/** Native code lies beside the executable: an executable cannot hold it. */
const NATIVE = `require('node:module').createRequire(process.execPath)('./libsql.node')`;

/** @param version what `--version` says */
export async function bundle({ version, folder }) {
  const { rolldown } = await import(fromVite.resolve('rolldown'));
  const write = async (input, name) => {
    const build = await rolldown({
      input,
      platform: 'node',
      plugins: [packaged(version)],
      logLevel: 'warn',
    });
    await build.write({ file: join(folder, name), format: 'cjs', codeSplitting: false, minify: false });
    await build.close();
    return join(folder, name);
  };
  return {
    main: await write(join(root, 'scripts/package/entry.mjs'), 'main.cjs'),
    worker: await write(join(root, 'services/agent/dist/src/io/hash-worker.js'), 'hash-worker.js'),
  };
}

/** What the agent finds in its package elsewhere: its version, and the native part of libsql. */
function packaged(version) {
  const versionFile = join(root, 'services/agent/dist/src/version.js');
  return {
    name: 'packaged',
    load: (id) =>
      id === versionFile ? `export const agentVersion = async () => ${JSON.stringify(version)};` : null,
    transform: (code, id) => {
      if (!id.endsWith(join('node_modules', 'libsql', 'index.js'))) return null;
      const changed = code
        .replace(/^const \{[^}]*\} = require\("(@neon-rs\/load|detect-libc)"\);$/gm, '')
        .replace(/^function requireNative\(\) \{[^]*?^\}/m, `function requireNative() { return ${NATIVE}; }`);
      if (!changed.includes(NATIVE)) throw new Error('libsql loads its native part in another way now');
      return changed;
    },
  };
}

/** The file of libsql's native part for this machine. */
export function nativeFile() {
  const require = createRequire(join(root, 'services/agent/package.json'));
  const libsql = createRequire(require.resolve('libsql'));
  const isMusl = process.report.getReport().header.glibcVersionRuntime === undefined;
  const target = `${process.platform}-${process.arch}${process.platform === 'linux' ? (isMusl ? '-musl' : '-gnu') : ''}`;
  return join(dirname(libsql.resolve(`@libsql/${target}/package.json`)), 'index.node');
}
