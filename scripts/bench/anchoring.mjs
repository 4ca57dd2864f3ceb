/** The cost of anchoring: a batch and its proofs, receipts, the audit. Each next to the cost of the hashes alone. */
import { join } from 'node:path';
import { Child } from './child.mjs';
import { makeFleet, targetsOf } from './fleet.mjs';
import { openLoad, openServer, say, SECRET } from './open.mjs';
import { BULK_CONNECTIONS, BULK_LINES, FILES_PER_DEVICE, GOALS, SINGLE_CONNECTIONS } from './settings.mjs';
import { medianRow, row, spread } from './statistics.mjs';

const MICROSECONDS_PER_MS = 1_000;
/** Reports of 50 connections that become durable in one turn; 24 were counted on average. */
const SINGLES_PER_TURN = 25;

export async function anchoring(settings) {
  const work = new Child('anchoring-work.mjs');
  const rows = [...(await batchRows(work, settings)), ...(await auditRows(work, settings))];
  const hashing = await repeated(settings, () =>
    work.ask('receipts', { count: BULK_LINES, singles: SINGLES_PER_TURN }),
  );
  await work.stop();
  rows.push(...(await receiptRows(settings, hashing)));
  return { rows };
}

async function repeated({ repeats }, measure) {
  const found = [];
  for (let repeat = 0; repeat < repeats; repeat += 1) found.push(await measure());
  return found;
}

const over = (found, above, below) => found.map((one) => one[above] / one[below]);
const field = (found, name) => found.map((one) => one[name]);

async function batchRows(work, settings) {
  const { batchLeaves: leaves, batchProofs: proofs } = settings;
  await work.ask('leaves', { leaves });
  const { collecting, hashing, root } = await work.ask('roots', { pairs: settings.rootPairs });
  const found = await repeated(settings, () => work.ask('batch', { proofs }));
  const count = leaves.toLocaleString('en-US');
  return [
    row(`${count} leaves read from their records, ms`, 'millis', collecting),
    row(`hashes of ${count} leaves and their nodes, ms`, 'millis', hashing),
    row(`root of ${count} leaves, ms`, 'millis', root),
    row(
      'ratio to the hashes',
      'ratio',
      root.map((one, at) => one / hashing[at]),
      `≤ ${GOALS.root.toFixed(2)}`,
    ),
    row('transaction of the batch, signed, ms', 'millis', field(found, 'signed')),
    row(
      `tree for proofs, ${proofs.toLocaleString('en-US')} of them, checked, ms`,
      'millis',
      field(found, 'proofs'),
    ),
    row(
      '  a proof, µs',
      'micros',
      found.map(({ paths }) => (paths / proofs) * MICROSECONDS_PER_MS),
    ),
  ];
}

async function auditRows(work, settings) {
  const { auditBatches: batches, auditTransactions: transactions } = settings;
  await work.ask('log', { batches, transactions });
  const found = await repeated(settings, () => work.ask('audit'));
  for (const { made } of found) say(`${batches} batches made again in ${(made / 1_000).toFixed(1)} s`);
  return [
    row('hashes of the batches of an audit, ms', 'millis', field(found, 'hashing')),
    row(`${batches.toLocaleString('en-US')} batches made again, ms`, 'millis', field(found, 'made')),
    row('ratio to the hashes', 'ratio', over(found, 'made', 'hashing')),
    row('a signature of a transaction, ms', 'millis', field(found, 'signature')),
    row('a batch compared with its transaction, ms', 'millis', field(found, 'compared')),
    row('ratio to the signature', 'ratio', over(found, 'compared', 'signature')),
  ];
}

/** Measures reports with and without a receipt in short turns. The median of the differences is the cost of a receipt. */
async function receiptRows(settings, hashing) {
  const goal = `≤ ${GOALS.receiptMicros.toFixed(1)}`;
  const single = await reportsOf(settings, { connections: SINGLE_CONNECTIONS, lines: 1 });
  const bulk = await reportsOf(settings, { connections: BULK_CONNECTIONS, lines: BULK_LINES });
  const shares = field(hashing, 'signature');
  const least = single.answers.map(
    (micros) => micros + spread(field(hashing, 'hashing')).median + spread(shares).median,
  );
  return [
    row('hashes of a receipt, µs', 'micros', field(hashing, 'hashing')),
    row('a receipt as text, µs', 'micros', field(hashing, 'made'), goal),
    row('ratio to the hashes', 'ratio', over(hashing, 'made', 'hashing')),
    row(`a receipt as text, ${SINGLES_PER_TURN} reports a turn, µs`, 'micros', field(hashing, 'single')),
    ...costRows('one a request', single, goal),
    row(`    share of a signature of ${SINGLES_PER_TURN}`, 'micros', shares),
    medianRow('    its bytes, sent by the shell alone', 'micros', single.answers),
    medianRow('    least: hashes, share and bytes', 'micros', least),
    ...costRows('in bulk', bulk, goal),
  ];
}

const costRows = (name, { bare, given, cost }, goal) => [
  medianRow(`reports ${name}, µs of the server`, 'micros', bare),
  medianRow('  the same with receipts', 'micros', given),
  medianRow('  a receipt', 'micros', cost, goal),
];

/** Counts only the server's process. The senders' cost of reading a longer answer is not in these figures. */
async function reportsOf(settings, shape) {
  const fleet = makeFleet(2 * FILES_PER_DEVICE);
  const targets = targetsOf(fleet, SECRET);
  const folder = join(settings.folder, `lines-${shape.lines}`);
  const opened = [await openServer('ingestion', folder, { fleet })];
  if (shape.lines === 1)
    opened.push(await openServer('answers', join(folder, 'answers'), { count: SINGLES_PER_TURN }));
  const sides = [];
  for (const { server, url } of opened)
    for (const headers of ['', 'prefer: receipt\r\n']) {
      const load = openLoad();
      await load.ask('ready', { url, targets, headers, ...shape });
      await load.ask('run', { seconds: settings.warmUpSeconds });
      sides.push({ server, load, micros: [] });
    }
  for (let turn = 0; turn < settings.receiptTurns; turn += 1)
    // Each side is the first in every second turn.
    for (const side of turn % 2 === 0 ? sides : sides.toReversed())
      side.micros.push(await microsOf(side, settings.receiptSeconds));
  for (const { load } of sides) await load.stop();
  for (const { server } of opened) await server.stop();
  say(`${shape.lines} a request: ${settings.receiptTurns} turns`);
  const [bare, given, short = [], long = []] = sides.map(({ micros }) => micros);
  return { bare, given, cost: differences(given, bare), answers: differences(long, short) };
}

const differences = (above, below) => above.map((micros, at) => micros - below[at]);

/** Returns the server's processor time per report, in microseconds. */
async function microsOf({ server, load }, seconds) {
  const before = await server.ask('usage');
  const run = await load.ask('run', { seconds });
  const after = await server.ask('usage');
  if (run.failed > 0) throw new Error(`${run.failed} requests failed, the first with ${run.firstFailure}`);
  return (after.cpu - before.cpu) / run.reports;
}
