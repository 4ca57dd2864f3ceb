import t, { type Test } from 'tap';
import type { BulkAnswer, Report } from '@sentinel-node/contracts';
import { NO_MEMORY } from '../src/domain/memory.ts';
import type { Answer } from '../src/net/server.ts';
import { Sender, type ReportSource } from '../src/sender.ts';
import type { Spooled } from '../src/state/spool.ts';
import { until } from './agent-process.ts';

/** Never, for a test. */
const NEVER_MS = 600_000;

/** A file whose reports the test adds. */
function sourceOf(id: string, of: Partial<Pick<ReportSource, 'earlierSequence' | 'maySend'>> = {}) {
  const waiting: Spooled[] = [];
  const setAside: number[] = [];
  const source: ReportSource = {
    id,
    maySend: true,
    earlierSequence: 0,
    ...of,
    get newestSequence() {
      return waiting.at(-1)?.report.sequence ?? 0;
    },
    read: (from, count) => waiting.slice(from, from + count),
    accepted: ({ report }, refused) => {
      setAside.push(...refused);
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
  return { source, add, setAside, clear: () => void waiting.splice(0) };
}

type Options = ConstructorParameters<typeof Sender>[0];

/** A sender of these files; what a test does not expect fails it. */
const senderOf = (
  t: Test,
  files: readonly { source: ReportSource }[],
  options: Pick<Options, 'server'> & Partial<Options>,
): Sender =>
  new Sender({
    tasks: () => new Map(files.map(({ source }) => [source.id, source])),
    receipts: { take: () => Promise.resolve() },
    serverMs: () => 0,
    log: (_, message) => t.fail(message),
    notice: (_, message) => t.fail(message),
    onConfigurationDoubt: () => t.fail('no doubt'),
    isScanning: () => false,
    ...options,
  });

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));

t.test('reports of a scan share requests; the first goes at once, the last when the scan ends', async (t) => {
  const files = ['a', 'b', 'c'].map((id) => sourceOf(id));
  const requests: number[] = [];
  let isScanning = true;
  const sender = senderOf(t, files, {
    server: {
      bulk: (lines) => {
        requests.push(lines.length);
        return Promise.resolve({ kind: 'ok', value: { accepted: lines.length, rejected: [] } });
      },
      close: () => undefined,
    },
    isScanning: () => isScanning,
    collectMs: NEVER_MS,
  });
  sender.start();
  files[0]!.add(1);
  sender.wake();
  await until('the first', () => requests.length === 1);
  for (const [n, { add }] of files.entries()) {
    await turn();
    add(n + 2);
    sender.wake();
  }
  await turn();
  t.same(requests, [1], 'the others wait for one another');
  isScanning = false;
  sender.wake();
  await until('the others', () => requests.length > 1);
  t.same(requests, [1, 3]);
  await sender.stop();
});

t.test(
  'a retry does not wait when a heartbeat was answered again, unless the server named a time',
  async (t) => {
    const answers: Answer<BulkAnswer>[] = [
      { kind: 'unreachable', detail: 'nobody is there', retryAfterMs: undefined },
      { kind: 'unreachable', detail: 'busy', retryAfterMs: NEVER_MS },
    ];
    let requests = 0;
    const file = sourceOf('a');
    const sender = senderOf(t, [file], {
      server: { bulk: () => Promise.resolve(answers[requests++]!), close: () => undefined },
      log: () => undefined,
      retryMs: NEVER_MS,
    });
    const turns = async (): Promise<number> => {
      for (let n = 0; n < 20; n++) await turn();
      return requests;
    };
    file.add(1);
    sender.start();
    t.equal(await turns(), 1);
    sender.wake();
    t.equal(await turns(), 1, 'news does not repeat a request that just failed');
    sender.retryAfterOutage();
    t.equal(await turns(), 2);
    sender.retryAfterOutage();
    t.equal(await turns(), 2, 'the server named a time');
    await sender.stop();
  },
);

t.test('only reports that an earlier run kept may have been sent before', async (t) => {
  let isChecked = false;
  const kept = sourceOf('kept', { earlierSequence: 2 });
  const fresh = sourceOf('fresh');
  // As a file is before its first look.
  Object.defineProperty(fresh.source, 'maySend', { get: () => isChecked });
  const sentBefore: [string, number, boolean][] = [];
  const sender = senderOf(t, [kept, fresh], {
    server: {
      bulk: (lines) => Promise.resolve({ kind: 'ok', value: { accepted: lines.length, rejected: [] } }),
      close: () => undefined,
    },
    receipts: {
      take: (lines) => {
        for (const { task, entry, sentBefore: before } of lines)
          sentBefore.push([task.id, entry.report.sequence, before]);
        return Promise.resolve();
      },
    },
  });
  for (const sequence of [1, 2, 3]) kept.add(sequence);
  sender.start();
  await until('what was kept', () => sentBefore.length === 3);
  fresh.add(4);
  isChecked = true;
  sender.wake();
  await until('the first report of this run', () => sentBefore.length === 4);
  await sender.stop();
  t.strictSame(sentBefore, [
    ['kept', 1, true],
    ['kept', 2, true],
    ['kept', 3, false],
    ['fresh', 4, false],
  ]);
});

t.test('a report that was renumbered was not sent before', async (t) => {
  const file = sourceOf('ahead');
  file.add(9_000);
  Object.assign(file.source, {
    renumber: () => {
      file.clear();
      for (const sequence of [1_000, 1_001]) file.add(sequence);
      return Promise.resolve(true);
    },
  });
  const rejected = [{ line: 1, code: 'SEQUENCE_AHEAD', detail: '' }];
  const sentBefore: [number, boolean][] = [];
  const sender = senderOf(t, [file], {
    log: () => undefined,
    notice: () => undefined,
    server: {
      bulk: (lines) => {
        const isAhead = lines.some((line) => line.includes('"sequence":9000'));
        const value = isAhead ? { accepted: 0, rejected } : { accepted: lines.length, rejected: [] };
        return Promise.resolve({ kind: 'ok', value });
      },
      close: () => undefined,
    },
    receipts: {
      take: (lines) => {
        for (const { entry, sentBefore: before } of lines) sentBefore.push([entry.report.sequence, before]);
        return Promise.resolve();
      },
    },
  });
  sender.start();
  await until('all are taken', () => file.source.newestSequence === 0);
  file.add(1_002);
  sender.wake();
  await until('the next too', () => file.source.newestSequence === 0);
  await sender.stop();
  t.strictSame(
    sentBefore,
    [9_000, 1_000, 1_001, 1_002].map((sequence) => [sequence, false]),
  );
});

t.test('reports that fit no sequence of now, of a server that was ahead, wait by themselves', async (t) => {
  const ahead = sourceOf('ahead');
  const other = sourceOf('other');
  Object.assign(ahead.source, { refused: () => Promise.resolve(t.fail('nothing is set aside')) });
  let isAhead = true;
  const warnings: string[] = [];
  const sender = senderOf(t, [ahead, other], {
    retryMs: 1,
    log: (_, message) => warnings.push(message),
    server: {
      bulk: (lines) => {
        const rejected = lines.flatMap((line, index) =>
          isAhead && line.includes('"fileId":"ahead"')
            ? [{ line: index + 1, code: 'SEQUENCE_AHEAD' as const, detail: '' }]
            : [],
        );
        return Promise.resolve({
          kind: 'ok',
          value: { accepted: lines.length - rejected.length, rejected },
        });
      },
      close: () => undefined,
    },
  });
  for (const sequence of [9_000, 9_001]) ahead.add(sequence);
  sender.start();
  await until('it is told', () => sender.problem === 'reports are not taken (SEQUENCE_AHEAD)');
  for (const sequence of [1, 2, 3]) {
    other.add(sequence);
    sender.wake();
    await until('the other file sends', () => other.source.newestSequence === 0);
  }
  t.equal(ahead.source.newestSequence, 9_001);
  t.equal(sender.setAside, 0);
  isAhead = false;
  await until('they are taken when their time comes', () => ahead.source.newestSequence === 0);
  await sender.stop();
  t.equal(sender.problem, undefined);
  t.equal(warnings.filter((one) => one.startsWith('ahead: ')).length, 1, 'the log tells it once');
});

t.test('a state that cannot be written does not delay the reports of others', async (t) => {
  const errors: unknown[] = [];
  const sent: number[] = [];
  const [full, other] = [sourceOf('full'), sourceOf('other')];
  const { accepted } = full.source;
  Object.assign(full.source, {
    accepted: async (entry: Spooled) => {
      await accepted(entry, []);
      throw new Error('ENOSPC');
    },
    onSpoolError: (error: unknown) => void errors.push(error),
  });
  const sender = senderOf(t, [full, other], {
    server: {
      bulk: (lines) => {
        sent.push(lines.length);
        return Promise.resolve({ kind: 'ok', value: { accepted: lines.length, rejected: [] } });
      },
      close: () => undefined,
    },
    retryMs: NEVER_MS,
  });
  full.add(1);
  sender.start();
  for (let n = 0; n < 20; n++) await turn();
  t.equal(errors.length, 1);
  other.add(1);
  sender.wake();
  for (let n = 0; n < 20; n++) await turn();
  t.same(sent, [1, 1]);
  await sender.stop();
});

t.test('a file whose configuration is in doubt waits by itself; the others send as ever', async (t) => {
  const [shut, other] = [sourceOf('shut'), sourceOf('other')];
  const requests: string[][] = [];
  let isShut = true;
  let doubts = 0;
  // The wait of a doubt passes when the test says so: a busy machine sends the others' reports late.
  let aheadMs = 0;
  const steadyMs = performance.now.bind(performance);
  t.intercept(performance, 'now', { value: () => steadyMs() + aheadMs });
  const idOf = (line: string): string => (JSON.parse(line) as { fileId: string }).fileId;
  const sender = senderOf(t, [shut, other], {
    server: {
      bulk: (lines) => {
        const ids = lines.map(idOf);
        requests.push(ids);
        const rejected = ids.flatMap((id, index) =>
          isShut && id === 'shut' ? [{ line: index + 1, code: 'MONITORING_DISABLED', detail: '' }] : [],
        );
        return Promise.resolve({ kind: 'ok', value: { accepted: lines.length - rejected.length, rejected } });
      },
      close: () => undefined,
    },
    onConfigurationDoubt: () => (doubts += 1),
    retryMs: NEVER_MS,
  });
  const passWait = (): void => {
    aheadMs += NEVER_MS;
    sender.wake();
  };
  for (const n of [1, 2, 3]) shut.add(n);
  sender.start();
  await until('the doubt', () => doubts === 1);
  t.same(requests, [['shut', 'shut', 'shut']]);
  for (const n of [1, 2]) {
    other.add(n);
    sender.wake();
    await until('the other', () => requests.flat().filter((id) => id === 'other').length === n);
    t.equal(sender.problem, 'reports are not taken (MONITORING_DISABLED)', 'the first still waits');
  }
  t.same(requests.slice(1), [['other'], ['other']]);
  passWait();
  await until('another try', () => doubts === 2);
  t.same(requests.at(-1), ['shut'], 'one report tests it');
  isShut = false;
  passWait();
  await until('all are taken', () => shut.source.read(0, 9).length === 0);
  t.equal(sender.problem, undefined);
  await sender.stop();
});

t.test('a report that is refused for good before one that is taken is told, counted and kept', async (t) => {
  const file = sourceOf('a');
  const told: string[] = [];
  const rejected = [
    { line: 1, code: 'VALIDATION_FAILED', detail: 'no hash' },
    { line: 2, code: 'OVERLOADED', detail: '' },
  ];
  const sender = senderOf(t, [file], {
    server: {
      bulk: () => Promise.resolve({ kind: 'ok', value: { accepted: 1, rejected } }),
      close: () => undefined,
    },
    log: () => undefined,
    notice: (code, message, id) => void told.push(`${code} ${id}: ${message}`),
  });
  for (const n of [1, 2, 3]) file.add(n);
  sender.start();
  await until('the answer', () => file.source.newestSequence === 0);
  t.same(told, ['REPORT_REFUSED a: The server refused a report for good: VALIDATION_FAILED: no hash']);
  t.equal(sender.setAside, 1);
  t.same(file.setAside, [1], 'and kept for the operator');
  await sender.stop();
});
