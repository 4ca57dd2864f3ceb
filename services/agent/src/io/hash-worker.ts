/** Thread that hashes one file at a time, in pieces, at a limited rate. hash-pool.ts defines its messages. */
import { parentPort, workerData } from 'node:worker_threads';
import { codeOf, messageOf } from '@sentinel-node/contracts/thrown';
import { dueAfter } from '../domain/pace.ts';
import { hashNow } from './hash-now.ts';
import type { HashAnswer, HashJob, HashWorkerData } from './hash-pool.ts';
import { NotRegularError } from './kind.ts';

const { bytesPerSecond, pieceBytes }: HashWorkerData = workerData;
const piece = Buffer.allocUnsafeSlow(pieceBytes);
const never = new Int32Array(new SharedArrayBuffer(Int32Array.BYTES_PER_ELEMENT));
let dueAt = -Infinity;

parentPort?.on('message', (job: HashJob) => {
  parentPort?.postMessage(answerTo(job));
});

function answerTo({ id, path, prefixLength }: HashJob): HashAnswer {
  try {
    return { id, hashed: hashNow(path, prefixLength, piece, pace) };
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
