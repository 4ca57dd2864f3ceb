import { spawnSync } from 'node:child_process';
import { mkdtempSync, readFileSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { NAMES, parseArguments } from '../bench/arguments.mjs';
import { laterGrowth } from '../bench/statistics.mjs';
import { root } from '../lib/prepare.mjs';

/** Milliseconds; enough for a busy machine that builds first. */
const PATIENCE_MS = 240_000;
t.setTimeout(PATIENCE_MS);

const bench = (...args) =>
  spawnSync(process.execPath, [join(root, 'scripts', 'bench.mjs'), ...args], {
    encoding: 'utf8',
    timeout: PATIENCE_MS,
  });

t.test('a quick run prints its table, writes the figures and leaves nothing behind', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'bench-test-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const json = join(folder, 'figures.json');
  // Anchoring calls functions of the services directly, which a change of theirs would break unseen.
  const args = ['ingest-bulk', 'anchoring', '--quick', '--json', json, '--data', folder];
  const { status, stdout, stderr } = bench(...args);
  t.equal(status, 0, stderr);
  const names = [
    'ceiling, reports/s',
    'ingestion, reports/s',
    'ratio to the ceiling',
    '50 batches made again, ms',
  ];
  for (const name of names) t.match(stdout, new RegExp(`^\\| ${name} .*\\|$`, 'm'));
  const { quick, results } = JSON.parse(readFileSync(json, 'utf8'));
  t.equal(quick, true);
  const [ceiling] = results['ingest-bulk'].rows;
  t.ok(ceiling.min > 0 && ceiling.min <= ceiling.median && ceiling.median <= ceiling.max);
  t.same(readdirSync(folder), ['figures.json']);
  t.end();
});

t.test('growth over the later half', (t) => {
  t.equal(laterGrowth([600, 690, 700, 705]), 15, 'what only fills at first does not count');
  t.equal(laterGrowth([600, 690, 700, 650, 650]), 0);
  t.equal(laterGrowth([700, 893, 1_043]), 150);
  t.equal(laterGrowth([600]), 0);
  t.end();
});

t.test('the command line', (t) => {
  t.same(parseArguments([]).names, NAMES, 'all without a name');
  t.same(parseArguments(['growth', '--quick']), { names: ['growth'], quick: true });
  t.match(parseArguments(['--help']), { help: true });
  t.match(parseArguments(['--json']).problem, /--json needs a value/);
  t.match(parseArguments(['speed']).problem, /speed is no benchmark/);
  t.end();
});
