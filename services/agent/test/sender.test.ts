import t from 'tap';
import type { Report } from '@sentinel-node/contracts';
import { NO_MEMORY } from '../src/domain/memory.ts';
import { Sender, type ReportSource } from '../src/sender.ts';
import type { Spooled } from '../src/state/spool.ts';
import { until } from './agent-process.ts';

/** Never, for a test. */
const COLLECT_MS = 600_000;

/** A file whose reports the test adds. */
function sourceOf(id: string) {
  const waiting: Spooled[] = [];
  const source: ReportSource = {
    id,
    maySend: true,
    newestSequence: 0,
    read: (from, count) => waiting.slice(from, from + count),
    accepted: ({ report }) => {
      waiting.splice(0, waiting.findIndex((one) => one.report.sequence === report.sequence) + 1);
      return Promise.resolve();
    },
    refused: () => Promise.resolve(0),
    renumber: () => Promise.resolve(false),
    onSpoolError: (error) => t.error(error),
  };
  const add = (sequence: number): void => {
    const report: Report = {
      ...{ sequence, timestamp: '2026-01-01T00:00:00.000Z', change: 'FIRST', versions: [] },
      instanceId: '01900000-0000-7000-8000-000000000001',
    };
    waiting.push({ report, memory: { ...NO_MEMORY, sequence } });
  };
  return { source, add };
}

t.test('reports of a scan share requests; the first goes at once, the last when the scan ends', async (t) => {
  const files = ['a', 'b', 'c'].map(sourceOf);
  const requests: number[] = [];
  let isScanning = true;
  const sender = new Sender({
    server: {
      bulk: (lines) => {
        requests.push(lines.length);
        return Promise.resolve({ kind: 'ok', value: { accepted: lines.length, rejected: [] } });
      },
      close: () => undefined,
    },
    tasks: () => new Map(files.map(({ source }) => [source.id, source])),
    receipts: { take: () => Promise.resolve() },
    serverMs: () => 0,
    log: (_, message) => t.fail(message),
    notice: (_, message) => t.fail(message),
    onConfigurationDoubt: () => t.fail('no doubt'),
    isScanning: () => isScanning,
    collectMs: COLLECT_MS,
  });
  sender.start();
  files[0]!.add(1);
  sender.wake();
  await until('the first', () => requests.length === 1);
  for (const [n, { add }] of files.entries()) {
    await new Promise((resolve) => setImmediate(resolve));
    add(n + 2);
    sender.wake();
  }
  await new Promise((resolve) => setImmediate(resolve));
  t.same(requests, [1], 'the others wait for one another');
  isScanning = false;
  sender.wake();
  await until('the others', () => requests.length > 1);
  t.same(requests, [1, 3]);
  await sender.stop();
});
