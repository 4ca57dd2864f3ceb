/** Reads of files without a rate, for tests that have no pool. */
import { FileReader } from '../src/io/file-reader.ts';
import type { HashPool } from '../src/io/hash-pool.ts';
import { PieceReads } from '../src/io/piece-reads.ts';
import { ReadRate } from '../src/io/read-rate.ts';

/** @param isStopped asked before each piece */
export const unlimitedReads = (isStopped = () => false): PieceReads =>
  new PieceReads({ rate: new ReadRate(), isStopped });

const refuses: HashPool['hash'] = () => Promise.reject(new Error('not by the pool'));

/** A reader that asks `hash` where an agent asks its pool. @param isPaced asks it for small files, too */
export const readerBy = (
  hash = refuses,
  isPaced = true,
  reads = unlimitedReads(),
  isLocal = true,
): FileReader => new FileReader({ hash, isPaced, reads }, { isLocal });
