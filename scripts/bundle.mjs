#!/usr/bin/env node
// Writes every program of the product into services/all-in-one/dist/bundle, from the TypeScript sources, with the libraries
// that it loads (docs/decisions/049-bundled-programs.md).
import { existsSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { root } from './lib/prepare.mjs';

/** Resolves vite's own bundler, which also builds the console. */
const fromVite = createRequire(createRequire(join(root, 'web/package.json')).resolve('vite'));

const FOLDER = join(root, 'services/all-in-one/dist/bundle');

/** Services, and the modules of platform that a test changes before it starts a service. */
const SERVICES = {
  'all-in-one': 'services/all-in-one/src/run.ts',
  main: 'services/all-in-one/src/main.ts',
  ingestion: 'services/ingestion/src/main.ts',
  'chain-verifier': 'services/chain-verifier/src/main.ts',
  anchoring: 'services/anchoring/src/main.ts',
  query: 'services/query/src/main.ts',
  kafka: 'services/platform/src/kafka/index.ts',
  mongodb: 'services/platform/src/mongodb/index.ts',
};

/**
 * The commands of `sentinel`, the operator's and the others. They share no chunk with each other or with the services, so that a
 * command loads few files, and only what it uses.
 */
const COMMANDS = {
  commands: 'services/all-in-one/src/index.ts',
  sentinel: 'services/agent/src/cli.ts',
};

/** Entry points of threads. The programs look for them in their own folder under these names. */
export const THREADS = {
  'hash-worker': 'services/agent/src/io/hash-worker.ts',
  'log-reader': 'services/platform/src/embedded/log/log-reader.ts',
  'log-writer': 'services/platform/src/embedded/log/log-writer.ts',
  'regexp-worker': 'services/query/src/devices/regexps/regexp-worker.ts',
  'store-worker': 'services/platform/src/embedded/store/store-worker.ts',
};

/** The thread that reads Kafka. It shares the modules of its program, whose limits a test changes before the start. */
export const KAFKA_THREAD = { 'thread-main': 'services/platform/src/kafka/thread/thread-main.ts' };

/** Native code, libraries that load files or threads from their own folder, and kafkajs, of which we replace a part. */
export const EXTERNAL = [/^libsql$/, /^lz4-napi$/, /^pino$/, /^@fastify\/swagger-ui$/, /^kafkajs($|\/)/];

/**
 * Names and lines stay. V8 keeps the text of a module for as long as it runs: in one byte a character, but in two when a single
 * character is beyond Latin-1, which a comment or a regular expression of a library has in every large file.
 */
const SMALL_TEXT = {
  compress: false,
  mangle: false,
  codegen: { removeWhitespace: false, asciiOnly: true, legalComments: 'inline' },
};

/**
 * Modules that only define things: TypeBox, and our own. A program that imports one through the index of its package loads the
 * modules of the parts that it uses.
 */
const ONLY_DEFINE =
  /[\\/](node_modules[\\/]typebox|contracts[\\/]src|services[\\/](?!test-kit)[^\\/]+[\\/]src)[\\/]/;

/** Makes the bundle anew. Running programs keep the modules that they have loaded. */
export function bundle() {
  return replaceFolder(FOLDER, async (folder) => {
    const options = { external: EXTERNAL, plugins: [versionOfAgent()] };
    await writeBundle(folder, { ...SERVICES, ...KAFKA_THREAD }, options);
    for (const [name, file] of Object.entries(COMMANDS))
      await writeBundle(folder, { [name]: file }, { ...options, chunks: name, onlyUsed: true });
    await writeThreads(folder);
  });
}

/** Replaces a folder by what `write` writes into the folder that it is given. */
export async function replaceFolder(folder, write) {
  const half = `${folder}.part`;
  rmSync(half, { recursive: true, force: true });
  await write(half);
  rmSync(folder, { recursive: true, force: true });
  renameSync(half, folder);
}

/** Writes the body of each other thread as one file: a server starts several threads, and each loads its own modules. */
export async function writeThreads(folder) {
  for (const [name, file] of Object.entries(THREADS))
    await writeBundle(
      folder,
      { [name]: file },
      { external: EXTERNAL, plugins: [], onlyUsed: true, codeSplitting: false },
    );
}

/**
 * Writes entry points and the chunks that they share into a folder.
 * @param entries paths from the root, by the name of their file in the folder
 * @param options `chunks` begins the names of chunks; `onlyUsed` leaves out our modules of which no part is used;
 * `codeSplitting: false` writes one file
 */
export async function writeBundle(folder, entries, options) {
  const { external, plugins, chunks = 'shared', onlyUsed = false, codeSplitting = true } = options;
  const { rolldown } = await import(fromVite.resolve('rolldown'));
  const inputs = Object.entries(entries).map(([name, file]) => [name, join(root, file)]);
  const build = await rolldown({
    input: Object.fromEntries(inputs),
    platform: 'node',
    external,
    plugins: [fromSources(), ...plugins],
    ...(onlyUsed && { treeshake: { moduleSideEffects: (id) => !ONLY_DEFINE.test(id) } }),
    logLevel: 'warn',
  });
  await build.write({
    dir: folder,
    format: 'esm',
    sourcemap: true,
    codeSplitting,
    chunkFileNames: `${chunks}-[hash].js`,
    comments: { legal: true, annotation: false, jsdoc: false },
    minify: SMALL_TEXT,
  });
  await build.close();
}

/** Resolves a package's compiled file to its TypeScript source, so that source maps name the source. */
function fromSources() {
  return {
    name: 'from-sources',
    async resolveId(id, importer, options) {
      if (!/^(@sentinel-node\/|#)/.test(id)) return null;
      const found = await this.resolve(id, importer, { ...options, skipSelf: true });
      const source = found?.id.replace(/\/dist\/src\/(.*)\.js$/, '/src/$1.ts');
      return source !== undefined && existsSync(source) ? source : found;
    },
  };
}

/** The agent reads its version from its own package, which is not beside the bundle. */
function versionOfAgent() {
  const { version } = JSON.parse(readFileSync(join(root, 'services/agent/package.json'), 'utf8'));
  const module = join(root, 'services/agent/src/version.ts');
  return {
    name: 'version-of-agent',
    load: (id) =>
      id === module ? `export const agentVersion = async () => ${JSON.stringify(version)};` : null,
  };
}

if (process.argv[1] !== undefined && import.meta.url === pathToFileURL(process.argv[1]).href) await bundle();
