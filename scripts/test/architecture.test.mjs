// The rules of docs/architecture.md that an import can break.
import { readdirSync, readFileSync } from 'node:fs';
import { join, posix, relative, sep } from 'node:path';
import t from 'tap';
import { KAFKA_THREAD, THREADS } from '../bundle.mjs';
import { root } from '../lib/prepare.mjs';

const ADAPTER_ONLY = new Map([
  ['kafkajs', /^services\/(platform\/src\/kafka|test-kit\/src\/test-servers)\//],
  ['mongodb', /^services\/(platform\/src\/mongodb|test-kit\/src\/test-servers)\//],
  ['libsql', /^services\/(platform\/src\/embedded|agent\/src\/(io|state))\//],
  [
    '@bsv/sdk',
    /^(services\/(platform\/src\/ledger|anchoring\/src\/(transaction|ledger))\/|contracts\/src\/ledger\/ledger-spend\.ts$)/,
  ],
  ['nodemailer', /^services\/platform\/src\/mail\//],
]);
const PACKAGE = '@sentinel-node/';
const LIBRARIES = new Set(['contracts', 'platform']);
/** Helpers of tests and benchmarks: no source of a product package imports them. */
const TEST_LIBRARIES = new Set(['tap', 'testcontainers', 'playwright-core', 'fast-check', 'smtp-server']);
/** Modules and calls that a pure function must not use: I/O, the clock, randomness, loggers, frameworks. Paths are only text. */
const IMPURE_IMPORT = /^(node:(?!(?:crypto|buffer|path)$)|fastify|pino|prom-client|libsql|kafkajs|mongodb)/;
const IMPURE_CALL =
  /\b(Date\.now\(|new Date\(\)|Math\.random\(|performance\.now\(|randomBytes\(|randomUUID\(|process\.|console\.)/;

function sources(folder) {
  return readdirSync(join(root, folder), { withFileTypes: true, recursive: true })
    .filter((entry) => entry.isFile() && /\.tsx?$/.test(entry.name))
    .map((entry) => relative(root, join(entry.parentPath, entry.name)).split(sep).join('/'))
    .filter((file) => /\/src\//.test(file) && !/\/(node_modules|dist)\//.test(file));
}

const importsOf = (text) =>
  [
    ...text.matchAll(/(?:^|\n)\s*(?:import|export)\s(?:[^'";]*?\sfrom\s)?['"]([^'"]+)['"]/g),
    ...text.matchAll(/\bimport\(\s*['"]([^'"]+)['"]/g),
  ].map((match) => match[1]);

/** `import type` alone leaves nothing at run time, and so makes no circle of modules. */
const VALUE_IMPORT = /(?:^|\n)\s*(?:import|export)\s(?!type\s)(?:[^'";]*?\sfrom\s)?['"]([^'"]+)['"]/g;
const valueImportsOf = (text) => [...text.matchAll(VALUE_IMPORT)].map((match) => match[1]);

const serviceNames = readdirSync(join(root, 'services'));
const files = ['contracts', ...serviceNames.map((name) => `services/${name}`), 'web'].flatMap(sources);
const read = new Map(files.map((file) => [file, readFileSync(join(root, file), 'utf8')]));

/** The violations of one file. The function is pure, so that the tests below can test the rules themselves. */
export function violations(file, text) {
  const found = [];
  const own = file.startsWith('contracts/')
    ? 'contracts'
    : file.startsWith('web/')
      ? 'web'
      : file.split('/')[1];
  for (const name of importsOf(text)) {
    if (name.startsWith(PACKAGE)) {
      const target = name.slice(PACKAGE.length).split('/')[0];
      const allowed =
        own === 'contracts'
          ? false
          : own === 'web' || own === 'agent' || own === 'platform'
            ? target === 'contracts'
            : own === 'all-in-one'
              ? target !== 'test-kit'
              : LIBRARIES.has(target);
      if (!allowed) found.push(`${file} imports ${name}`);
    }
    for (const breach of [queryBreach(file, name), webBreach(file, name)])
      if (breach !== undefined) found.push(breach);
    if (name.startsWith('.') && relativeLeaves(file, name))
      found.push(`${file} reaches into another package: ${name}`);
    if (own !== 'test-kit' && TEST_LIBRARIES.has(name))
      found.push(`${file} imports ${name}, which is for tests`);
    for (const [library, place] of ADAPTER_ONLY) {
      if ((name === library || name.startsWith(`${library}/`)) && !place.test(file))
        found.push(`${file} imports ${name}`);
    }
    const isContracts = own === 'contracts' && !/sha256-node\.ts$/.test(file);
    if ((isContracts && /^(node:|fastify|pino)/.test(name)) || (inDomain(file) && IMPURE_IMPORT.test(name))) {
      found.push(`${file} is pure and imports ${name}`);
    }
  }
  if (own === 'query') {
    const named = ANCHORING_COLLECTION.exec(text) ?? /\bDEV_LEDGER_COLLECTIONS\b/.exec(text);
    if (named !== null) found.push(`${file} names ${named[0]}, which is anchoring's`);
  }
  if (own === 'contracts' || inDomain(file)) {
    const code = text.replace(/\/\*[\s\S]*?\*\//g, '').replace(/\/\/.*$/gm, '');
    const call = IMPURE_CALL.exec(code);
    if (call !== null) found.push(`${file} is pure and uses ${call[1]}`);
  }
  return found;
}

/** Features of query, above all other folders: a feature imports another feature through its `index.ts` only. */
const QUERY_FEATURES = [
  'alerts',
  'console',
  'dashboard',
  'development',
  'devices',
  'enrolments',
  'events',
  'maintenance',
  'notifications',
  'people',
  'proofs',
  'self-test',
  'service-tokens',
  'signin',
  'stream',
  'syslog',
  'webhooks',
];
t.test('docs/architecture.md names every feature of query', async (t) => {
  const text = readFileSync(join(root, 'docs/architecture.md'), 'utf8');
  const [row] = /^\| `services\/query\/` .*$/m.exec(text);
  for (const feature of QUERY_FEATURES) t.ok(row.includes(`\`${feature}\``), feature);
});

/** The layers below the features of query, the lowest first; an import never runs upwards. `context.ts` counts as a layer. */
const QUERY_LAYERS = [
  ['registry', 'storage'],
  ['views'],
  ['lists', 'exports', 'mail'],
  ['context.ts', 'deps.ts'],
  ['commands', 'openapi', 'http'],
];
const QUERY = 'services/query/src/';

/** Collections that anchoring alone writes; operator commands read them, query uses the anchors topic instead. */
const ANCHORING_COLLECTION =
  /['"`](anchors|cuts|anchored_heads|anchor_transactions|anchor_funds|anchoring_operations|anchoring_contradictions|anchoring_chain_marks|anchoring_looks|dev_ledger_\w+)['"`]/;

/** Returns the layer of a file; undefined for other files at the top, which may import everything. */
function queryFloor(place) {
  if (QUERY_FEATURES.includes(place)) return QUERY_LAYERS.length;
  const floor = QUERY_LAYERS.findIndex((names) => names.includes(place));
  return floor < 0 ? undefined : floor;
}

/** Returns the problem of an import within query, or undefined. */
function queryBreach(file, name) {
  if (!file.startsWith(QUERY) || !name.startsWith('.')) return undefined;
  const { from, to, target } = placesOf(QUERY, file, name);
  if (from === to || queryFloor(from) === undefined) return undefined;
  const upwards = (queryFloor(to) ?? Infinity) > queryFloor(from);
  const inside = QUERY_FEATURES.includes(to) && target !== `${to}/index.ts`;
  return upwards || inside ? `${file} imports ${target}` : undefined;
}

/** The features of the console, each with its pages; their imports make no circle. */
const WEB_FEATURES = [
  'alerts',
  'chain',
  'dashboard',
  'devices',
  'enrolments',
  'events',
  'expected',
  'files',
  'frame',
  'maintenance',
  'notifications',
  'people',
  'service-tokens',
  'signin',
  'webhooks',
];

/**
 * The layers of the console, the lowest first; an import never runs upwards. Files at the top that no layer names put the
 * console together, and may import everything.
 */
const WEB_LAYERS = [
  ['answers.ts'],
  [
    'activity.ts',
    'date-range.ts',
    'download.ts',
    'format.ts',
    'narrow.ts',
    'paths.ts',
    'stored-choice.ts',
    'styles',
    'time-zone.ts',
  ],
  ['api', 'keys'],
  ['errors.ts', 'ui'],
  ['device-update.ts', 'forms', 'state'],
  ['shortcuts', 'verify'],
  ['components'],
  WEB_FEATURES,
];
const WEB = 'web/src/';

/** Returns the problem of an import within the console, or undefined. */
function webBreach(file, name) {
  if (!file.startsWith(WEB) || !name.startsWith('.')) return undefined;
  const { from, to, target } = placesOf(WEB, file, name);
  const floorOf = (place) => WEB_LAYERS.findIndex((names) => names.includes(place));
  const [floor, other] = [floorOf(from), floorOf(to)];
  if (floor < 0 && file.slice(WEB.length).includes('/')) return `${file} is in a folder that no layer names`;
  const upwards = floor >= 0 && from !== to && (other < 0 || other > floor);
  return upwards ? `${file} imports ${target}` : undefined;
}

/** Returns the folders, or files at the top, of an importing and an imported file, and the path of the latter. */
function placesOf(folder, file, name) {
  const target = posix.join(posix.dirname(file), name).slice(folder.length);
  const [from] = file.slice(folder.length).split('/');
  return { from, to: target.split('/')[0], target };
}

const inDomain = (file) => /\/src\/(domain|registry)\//.test(file);

function relativeLeaves(file, name) {
  const depth = file.split('/').length - 1;
  const packageDepth = file.startsWith('services/') ? 2 : 1;
  const up = name.split('/').filter((part) => part === '..').length;
  return up > depth - packageDepth;
}

t.test('no file of the sources breaks a rule', async (t) => {
  t.ok(files.length > 50, 'the sources are found');
  t.same(
    [...read].flatMap(([file, text]) => violations(file, text)),
    [],
  );
});

/** Returns the files that each file imports by a relative path. @param importsIn returns the imports of a text */
const graphOf = (sources, importsIn) =>
  new Map(
    [...sources].map(([file, text]) => [
      file,
      importsIn(text)
        .filter((name) => name.startsWith('.'))
        .map((name) => posix.join(posix.dirname(file), name)),
    ]),
  );

/** Returns the same graph between the features in a folder. */
function featureGraph(graph, folder, features) {
  const found = new Map(features.map((feature) => [feature, []]));
  const featureOf = (file) => (file.startsWith(folder) ? file.slice(folder.length).split('/')[0] : '');
  for (const [file, targets] of graph)
    for (const target of targets)
      if (featureOf(target) !== featureOf(file)) found.get(featureOf(file))?.push(featureOf(target));
  return found;
}

/** Returns circles of a graph, each as a path that ends where it begins. */
function circlesIn(graph) {
  const circles = [];
  const done = new Set();
  const visit = (node, path) => {
    const at = path.indexOf(node);
    if (at >= 0) circles.push([...path.slice(at), node].join(' → '));
    if (at >= 0 || done.has(node)) return;
    for (const target of graph.get(node) ?? []) visit(target, [...path, node]);
    done.add(node);
  };
  for (const node of graph.keys()) visit(node, []);
  return circles;
}

t.test('no files import values in a circle, nor do features import each other in one', async (t) => {
  t.same(circlesIn(graphOf(read, valueImportsOf)), []);
  for (const [folder, features] of [
    [QUERY, QUERY_FEATURES],
    [WEB, WEB_FEATURES],
    ['contracts/src/', ['bytes', 'ledger', 'log', 'proof', 'receipt']],
  ]) {
    const graph = featureGraph(graphOf(read, importsOf), folder, features);
    t.same(circlesIn(graph), []);
    for (const feature of features)
      t.ok(
        files.some((file) => file.startsWith(`${folder}${feature}/`)),
        `${folder}${feature} is there`,
      );
  }
});

t.test('circles are found, and imports of types make none', async (t) => {
  const circles = (texts) => circlesIn(graphOf(new Map(Object.entries(texts)), valueImportsOf));
  const [a, b, c] = ['./a.ts', './b.ts', './c.ts'].map((name) => `import { x } from '${name}';`);
  t.same(circles({ 'a.ts': b, 'b.ts': c, 'c.ts': a }), ['a.ts → b.ts → c.ts → a.ts']);
  t.same(circles({ 'a.ts': `${b}\n${c}`, 'b.ts': c, 'c.ts': '' }), []);
  t.same(circles({ 'a.ts': "import type { x } from './b.ts';", 'b.ts': a }), []);
  t.same(circles({ 'a.ts': "import {\n  type x,\n} from './b.ts';", 'b.ts': a }).length, 1);
  t.same(circles({ 'a.ts': "export { x } from './b.ts';", 'b.ts': "import './a.ts';" }).length, 1);
  const features = new Map([
    [`${QUERY}alerts/a.ts`, "import type { x } from '../devices/index.ts';"],
    [`${QUERY}devices/b.ts`, "import { x } from '../alerts/index.ts';"],
  ]);
  t.same(circlesIn(featureGraph(graphOf(features, importsOf), QUERY, QUERY_FEATURES)), [
    'alerts → devices → alerts',
  ]);
});

/** Returns a file and all files that it loads by relative paths. */
function loadedBy(graph, file, found = new Set()) {
  if (!found.has(file)) {
    found.add(file);
    for (const target of graph.get(file) ?? []) loadedBy(graph, target, found);
  }
  return found;
}

t.test(
  'no thread but that of Kafka loads the whole of contracts, of which each would hold its own',
  async (t) => {
    const graph = graphOf(read, valueImportsOf);
    const loading = (body) =>
      [...loadedBy(graph, body)].filter((file) =>
        valueImportsOf(read.get(file)).includes(`${PACKAGE}contracts`),
      );
    t.same(Object.values(THREADS).flatMap(loading), []);
    t.not(Object.values(KAFKA_THREAD).flatMap(loading).length, 0, 'that of Kafka does');
  },
);

t.test('the rules find what they are for', async (t) => {
  const broken = [
    ['contracts/src/a.ts', "import { x } from '@sentinel-node/platform';"],
    ['contracts/src/a.ts', "import fs from 'node:fs';"],
    ['services/query/src/a.ts', "import { x } from '@sentinel-node/ingestion';"],
    ['services/query/src/a.ts', "import { Kafka } from 'kafkajs';"],
    ['services/query/src/proofs/a.ts', "import { x } from '../alerts/share.ts';"],
    ['services/query/src/commands/a.ts', "import { x } from '../signin/index.ts';"],
    ['services/query/src/mail/a.ts', "import { x } from '../commands/run.ts';"],
    ['services/query/src/views/a.ts', "import { x } from '../lists/page.ts';"],
    ['services/query/src/alerts/a.ts', "import { x } from '../service.ts';"],
    ['services/query/src/proofs/a.ts', "const found = await store.get('anchor_transactions', id);"],
    ['services/query/src/proofs/a.ts', "import { DEV_LEDGER_COLLECTIONS } from '@sentinel-node/platform';"],
    ['services/query/src/a.ts', "import x from '../../ingestion/src/b.ts';"],
    ['web/src/state/a.ts', "import { x } from '../components/b.ts';"],
    ['web/src/ui/A.tsx', "import type { X } from '../state/b.ts';"],
    ['web/src/components/A.tsx', "const x = await import('../alerts/B.tsx');"],
    ['web/src/format.ts', "import { x } from './api/b.ts';"],
    ['web/src/answers.ts', "import type { X } from './format.ts';"],
    ['web/src/alerts/A.tsx', "import { x } from '../App.tsx';"],
    ['web/src/somewhere/A.tsx', "import { x } from '../alerts/B.tsx';"],
    ['services/ingestion/src/domain/a.ts', 'export const now = () => Date.now();'],
    ['services/ingestion/src/domain/a.ts', "import { readFile } from 'node:fs/promises';"],
    ['services/agent/src/a.ts', "import { x } from '@sentinel-node/platform';"],
    ['services/all-in-one/src/a.ts', "import { x } from '@sentinel-node/test-kit/fakes';"],
    ['services/platform/src/a.ts', "import { x } from '@sentinel-node/test-kit/fakes';"],
    ['services/platform/src/a.ts', "import { x } from '../../test-kit/src/a.ts';"],
    ['services/query/src/a.ts', "import { Test } from 'tap';"],
    ['services/test-kit/src/a.ts', "import { x } from '@sentinel-node/query';"],
    ['services/agent/src/a.ts', "const x = await import('@sentinel-node/platform');"],
  ];
  for (const [file, text] of broken) t.equal(violations(file, text).length, 1, `${file}: ${text}`);
  t.same(
    violations(
      'services/query/src/proofs/a.ts',
      "import { z } from '../alerts/index.ts';\nimport { x } from '@sentinel-node/platform';\nimport y from './b.ts';",
    ),
    [],
  );
});

/** Dependencies of a package that none of its sources names. */
function unusedDependencies(names, texts) {
  return names.filter(
    (name) => !texts.some((text) => text.includes(`'${name}'`) || text.includes(`'${name}/`)),
  );
}

t.test('every dependency of a package is used by its sources', async (t) => {
  const packages = ['contracts', ...serviceNames.map((name) => `services/${name}`), 'web'];
  for (const folder of packages) {
    const { dependencies } = JSON.parse(readFileSync(join(root, folder, 'package.json'), 'utf8'));
    const texts = [...read].filter(([file]) => file.startsWith(`${folder}/`)).map(([, text]) => text);
    t.same(unusedDependencies(Object.keys(dependencies), texts), [], folder);
  }
  t.same(unusedDependencies(['a', 'b', 'c'], ["import x from 'a/b';", "require('b')"]), ['c']);
});
