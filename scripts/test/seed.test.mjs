import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import t from 'tap';
import { root } from '../lib/prepare.mjs';
import { parseArguments } from '../seed/arguments.mjs';
import { stepsOf } from '../seed/calendar.mjs';
import { fleetOf } from '../seed/fleet.mjs';
import { MadeFile } from '../seed/made-file.mjs';
import { Random } from '../seed/random.mjs';

/** Milliseconds; enough for a busy machine that builds first. */
const PATIENCE_MS = 600_000;
t.setTimeout(PATIENCE_MS);

const run = (file, args, folder) =>
  spawnSync(process.execPath, [join(root, file), ...args], {
    encoding: 'utf8',
    timeout: PATIENCE_MS,
    env: { PATH: process.env.PATH, HOME: process.env.HOME, SENTINEL_DATA_DIR: folder },
  });

t.test('a small organisation is made, its log holds what its views show, and it is not written over', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'seed-test-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const size = ['--devices', '4', '--files', '24', '--alerts', '40'];
  const made = run('scripts/seed.mjs', [...size, '--days', '1'], folder);
  t.equal(made.status, 0, made.stderr);
  t.match(made.stdout, /seed 1: 4 devices, 24 files, 40 alerts in 1 day,/);
  t.match(made.stdout, /alerts: 40 of 40/);
  const audit = run('services/agent/bin/sentinel.mjs', ['audit'], folder);
  t.equal(audit.status, 0, `${audit.stdout}${audit.stderr}`);
  const again = run('scripts/seed.mjs', size, folder);
  t.equal(again.status, 1);
  t.match(again.stderr, /holds a log: choose another SENTINEL_DATA_DIR, or --into-existing/);
  t.end();
});

t.test('few devices have as many alerts as were asked for', (t) => {
  const folder = mkdtempSync(join(tmpdir(), 'seed-test-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true }));
  const size = ['--devices', '3', '--files', '600', '--alerts', '1200'];
  const made = run('scripts/seed.mjs', [...size, '--days', '1'], folder);
  t.equal(made.status, 0, made.stderr);
  t.match(made.stdout, /alerts: 1,200 of 1,200/);
  t.end();
});

t.test('the command line', (t) => {
  const standard = { devices: 300, files: 20_000, alerts: 100_000, days: 30, seed: 1 };
  t.match(parseArguments([]), { ...standard, name: 'Big Corp', intoExisting: false });
  t.match(parseArguments(['--into-existing']), { days: 0 });
  t.match(parseArguments(['--help']), { help: true });
  const problems = [
    [['--files', 'many'], /--files is a whole number, 1 to 200,000/],
    [['--files', '20'], /--files must be as many as --devices/],
    [['--devices', '2', '--files', '20001', '--alerts', '0'], /--devices must be at least 3/],
    [['--files', '300', '--alerts', '40000'], /--files must be at least 400/],
    [['--into-existing', '--days', '3'], /needs --days 0/],
    [['--fast'], /Unknown option '--fast'/],
  ];
  for (const [args, problem] of problems) t.match(parseArguments(args).problem, problem, args.join(' '));
  t.end();
});

t.test('the same seed makes the same devices, another one others', (t) => {
  const made = (seed) => [...fleetOf({ devices: 7, files: 100 }, new Random(seed))];
  t.same(made(5), made(5));
  t.not(JSON.stringify(made(5)), JSON.stringify(made(6)));
  t.equal(
    made(5).reduce((sum, { files }) => sum + files.length, 0),
    100,
  );
  t.end();
});

t.test('steps reach from the past to now, and their alerts add up', (t) => {
  const end = Date.parse('2026-11-23T00:00:00.000Z');
  for (const [days, alerts, files] of [
    [30, 100_000, 20_000],
    [0, 50, 4],
    [2, 0, 10],
  ]) {
    const steps = stepsOf({ days, alerts, files, end });
    t.equal(
      steps.reduce((sum, step) => sum + step.alerts, 0),
      alerts,
    );
    t.equal(steps[0].from, end - days * 86_400_000);
    t.equal(Math.round(steps.at(-1).to), end);
    t.ok(steps.every((step) => step.alerts <= Math.max(1, files)));
  }
  t.end();
});

t.test('a file raises each kind of alert that it can, once while it is open', (t) => {
  const file = new MadeFile({ id: 'f', key: 'web/a.log', modifiable: true, rolled: true, template: 'a.log' });
  file.first(1_000);
  const kinds = file.possible;
  t.same(kinds, ['HASH_BREACH', 'EMPTY', 'HASH_BREACH_IN_REQ', 'ROLLED_FILE_CHANGED']);
  const sequences = kinds.flatMap((kind) => file.deviating(kind, 1_000)).map(({ sequence }) => sequence);
  t.same(file.possible, []);
  t.same(
    sequences,
    sequences.map((_, n) => sequences[0] + n),
    'reports of one moment have an order',
  );
  t.end();
});
