/** The cost of anchoring: a batch and its proofs, receipts, the audit. Each beside the cost of the hashes alone. */
import { join } from 'node:path';
import { Child } from './child.mjs';
import { makeFleet, targetsOf } from './fleet.mjs';
import { openLoad, openServer, say, SECRET } from './open.mjs';
import { BULK_CONNECTIONS, BULK_LINES, FILES_PER_DEVICE, GOALS, SINGLE_CONNECTIONS } from './settings.mjs';
import { medianRow, row } from './statistics.mjs';

const MICROSECONDS_PER_MS = 1_000;
/** Reports of 50 connections that become durable in one turn: 24 on the average were counted. */
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

/** Reports with and without a receipt, in short turns: the median of the differences is the cost of a receipt. */
async function receiptRows(settings, hashing) {
  const shapes = [
    { name: 'one a request', connections: SINGLE_CONNECTIONS, lines: 1 },
    { name: 'in bulk', connections: BULK_CONNECTIONS, lines: BULK_LINES },
  ];
  const alone = hashing.map(({ made }) => made);
  const rows = [
    row('hashes of a receipt, µs', 'micros', field(hashing, 'hashing')),
    row('a receipt as text, µs', 'micros', alone, `≤ ${GOALS.receiptMicros.toFixed(1)}`),
    row('ratio to the hashes', 'ratio', over(hashing, 'made', 'hashing')),
    row(`a receipt as text, ${SINGLES_PER_TURN} reports a turn, µs`, 'micros', field(hashing, 'single')),
  ];
  for (const { name, ...shape } of shapes) {
    const { bare, given } = await reportsOf(settings, shape);
    const cost = given.map((micros, at) => micros - bare[at]);
    rows.push(medianRow(`reports ${name}, µs of processor time`, 'micros', bare));
    rows.push(medianRow('  the same with receipts', 'micros', given));
    rows.push(medianRow('  a receipt', 'micros', cost, `≤ ${GOALS.receiptMicros.toFixed(1)}`));
  }
  return rows;
}

async function reportsOf(settings, shape) {
  const fleet = makeFleet(2 * FILES_PER_DEVICE);
  const targets = targetsOf(fleet, SECRET);
  const { server, url } = await openServer('ingestion', join(settings.folder, `lines-${shape.lines}`), {
    fleet,
  });
  const sides = [];
  for (const headers of ['', 'prefer: receipt\r\n']) {
    const load = openLoad();
    await load.ask('ready', { url, targets, headers, ...shape });
    await load.ask('run', { seconds: settings.warmUpSeconds });
    sides.push({ load, micros: [] });
  }
  for (let turn = 0; turn < settings.receiptTurns; turn += 1)
    // Each side is the first in every second turn.
    for (const { load, micros } of turn % 2 === 0 ? sides : sides.toReversed()) {
      const before = await server.ask('usage');
      const run = await load.ask('run', { seconds: settings.receiptSeconds });
      const after = await server.ask('usage');
      if (run.failed > 0)
        throw new Error(`${run.failed} requests failed, the first with ${run.firstFailure}`);
      micros.push((after.cpu - before.cpu) / run.reports);
    }
  for (const { load } of sides) await load.stop();
  await server.stop();
  const [bare, given] = sides.map(({ micros }) => micros);
  say(`${shape.lines} a request: ${settings.receiptTurns} turns`);
  return { bare, given };
}
