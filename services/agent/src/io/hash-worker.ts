/**
 * Thread that hashes files in pieces, at a limited rate, each piece of the file of which the least is left, and reads files ahead of
 * their first look in between.
 * hash-pool.ts defines its messages.
 */
import { lstatSync } from 'node:fs';
import { setImmediate } from 'node:timers/promises';
import { parentPort, workerData } from 'node:worker_threads';
import { codeOf, messageOf } from '@sentinel-node/contracts/thrown';
import { isRacy } from '../domain/watching.ts';
import { AheadTable } from './ahead-table.ts';
import { hashInPieces, hashNow, type HashedNow } from './hash-now.ts';
import type { AheadDone, AheadJob, HashAnswer, HashJob, HashWorkerData } from './hash-pool.ts';
import { NotRegularError } from './kind.ts';
import { ReadRate } from './read-rate.ts';

const { bytesPerSecond, buffer: shared }: HashWorkerData = workerData;
const rate = new ReadRate(bytesPerSecond, shared);
const piece = Buffer.allocUnsafeSlow(rate.pieceBytes);
const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));

/** Files read ahead before the thread looks for other work. */
const AHEAD_A_TURN = 16;

parentPort?.on('message', (job: HashJob | AheadJob) => {
  if ('paths' in job) void readAhead(job);
  else take(job);
});

/** A file that is being read. */
interface Open {
  readonly id: number;
  readonly reading: Generator<number, HashedNow, void>;
  /** Bytes that are left. */
  rest: number;
}

/** @boundedBy the jobs that the pool gives to a thread */
const open: Open[] = [];
let isReading = false;

function take({ id, path, prefixLength }: HashJob): void {
  const one: Open = { id, reading: hashInPieces(path, prefixLength, piece), rest: 0 };
  if (readPiece(one)) return;
  open.push(one);
  if (!isReading) void readAll();
}

async function readAll(): Promise<void> {
  isReading = true;
  while (open.length > 0) {
    const next = open.reduce((a, b) => (b.rest < a.rest ? b : a));
    const ms = rate.take(Math.min(next.rest, piece.length));
    if (ms > 0) Atomics.wait(never, 0, 0, ms);
    if (readPiece(next)) open.splice(open.indexOf(next), 1);
    await setImmediate(); // for the messages that came
  }
  isReading = false;
}

/** Reads on up to the next piece. @returns whether the file is done; its answer is sent then */
function readPiece(one: Open): boolean {
  const { id, reading } = one;
  try {
    const step = reading.next();
    if (step.done !== true) {
      one.rest = step.value;
      return false;
    }
    const { about, now, prefix, torn } = step.value;
    const { dev, ino } = about;
    parentPort?.postMessage({
      id,
      hashed: { now, prefix, torn, about: { dev, ino } },
    } satisfies HashAnswer);
  } catch (error) {
    const code = codeOf(error) ?? 'UNREADABLE';
    const what = error instanceof NotRegularError ? error.what : null;
    parentPort?.postMessage({ id, failed: { code, message: messageOf(error), what } } satisfies HashAnswer);
  }
  return true;
}

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
    const { about, now, torn } = hashNow(path, null, piece, {
      mayFollow: false,
      maxBytes: piece.length,
      // The look takes the hash only if the file has these stats then.
      isComparedLater: true,
    });
    const isOther = about.ctimeMs !== standing.ctimeMs;
    // A later change could leave the times as they are.
    if (torn || isOther || isRacy(about.ctimeMs, nowMs)) table.leave(index);
    else table.put(index, about, now.hash);
  } catch {
    table.leave(index);
  }
}
