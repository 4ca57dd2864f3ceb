/**
 * Thread that hashes one file at a time, in pieces, at a limited rate, and reads files ahead of their first look in between.
 * hash-pool.ts defines its messages.
 */
import { lstatSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { codeOf, messageOf } from '@sentinel-node/contracts/thrown';
import { dueAfter } from '../domain/pace.ts';
import { isRacy } from '../domain/watching.ts';
import { AheadTable } from './ahead-table.ts';
import { hashNow } from './hash-now.ts';
import type { AheadDone, AheadJob, HashAnswer, HashJob, HashWorkerData } from './hash-pool.ts';
import { NotRegularError } from './kind.ts';

const { bytesPerSecond, pieceBytes }: HashWorkerData = workerData;
const piece = Buffer.allocUnsafeSlow(pieceBytes);
const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
let dueAt = -Infinity;

/** Files read ahead before the thread looks for other work. */
const AHEAD_A_TURN = 16;

parentPort?.on('message', (job: HashJob | AheadJob) => {
  if ('paths' in job) void readAhead(job);
  else parentPort?.postMessage(answerTo(job));
});

async function readAhead({ paths, buffer }: AheadJob): Promise<void> {
  const table = new AheadTable(buffer, paths.length);
  for (let read = 1, index = table.claim(); index !== undefined; read += 1, index = table.claim()) {
    readOneAhead(table, index, paths[index]!);
    if (read % AHEAD_A_TURN === 0) await setImmediate();
  }
  parentPort?.postMessage({ ahead: true } satisfies AheadDone);
}

/** Skips everything but regular files: the next look reports them. */
function readOneAhead(table: AheadTable, index: number, path: string): void {
  try {
    // Opening a FIFO or a device acts on others.
    const standing = lstatSync(path);
    if (!standing.isFile()) return table.leave(index);
    // After the stats and before the reading: a change that this time does not show has happened before the reading.
    const nowMs = Date.now();
    const { about, now, torn } = hashNow(path, null, piece, undefined, {
      mayFollow: false,
      maxBytes: piece.length,
    });
    const isOther = about.ctimeMs !== standing.ctimeMs;
    // A later change could leave the times as they are.
    if (torn || isOther || isRacy(about.ctimeMs, nowMs)) table.leave(index);
    else table.put(index, about, now.hash);
  } catch {
    table.leave(index);
  }
}

function answerTo({ id, path, prefixLength }: HashJob): HashAnswer {
  try {
    const { now, prefix, torn } = hashNow(path, prefixLength, piece, pace);
    return { id, hashed: { now, prefix, torn } };
  } catch (error) {
    const code = codeOf(error) ?? 'UNREADABLE';
    return {
      id,
      failed: { code, message: messageOf(error), what: error instanceof NotRegularError ? error.what : null },
    };
  }
}

function pace(bytes: number): void {
  const now = performance.now();
  dueAt = dueAfter(dueAt, now, bytes, bytesPerSecond);
  if (dueAt > now + 1) Atomics.wait(never, 0, 0, dueAt - now);
}
