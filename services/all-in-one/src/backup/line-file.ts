/** Writes and reads compressed lines of JSON, with the SHA-256 of the file on the disk. */
import { createHash } from 'node:crypto';
import { once } from 'node:events';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, open } from 'node:fs/promises';
import { dirname } from 'node:path';
import { createInterface } from 'node:readline';
import { Transform, type Readable } from 'node:stream';
import { finished, pipeline } from 'node:stream/promises';
import { createGunzip, createGzip } from 'node:zlib';
import { codeOf } from '@sentinel-node/contracts';
import { BackupError } from './errors.ts';

export interface FileFacts {
  readonly lines: number;
  readonly bytes: number;
  /** Hash of the compressed bytes, hex. */
  readonly sha256: string;
}

/** Writes one file; the streams bound its memory. */
export class LineWriter {
  readonly #path: string;
  readonly #gzip = createGzip();
  readonly #hash = createHash('sha256');
  readonly #done: Promise<void>;
  #lines = 0;
  #bytes = 0;

  private constructor(path: string) {
    this.#path = path;
    const count = new Transform({
      transform: (chunk: Buffer, _encoding, done) => {
        this.#hash.update(chunk);
        this.#bytes += chunk.length;
        done(null, chunk);
      },
    });
    this.#done = pipeline(this.#gzip, count, createWriteStream(path, { flags: 'wx', mode: 0o600 }));
    // `close`, or the next write, reports the error.
    this.#done.catch(() => undefined);
  }

  static async open(path: string): Promise<LineWriter> {
    await mkdir(dirname(path), { recursive: true, mode: 0o700 });
    return new LineWriter(path);
  }

  async write(value: unknown): Promise<void> {
    this.#lines += 1;
    if (!this.#gzip.write(`${JSON.stringify(value)}\n`))
      await Promise.race([once(this.#gzip, 'drain'), this.#done]);
  }

  /** Resolves when the file is on the disk. */
  async close(): Promise<FileFacts> {
    this.#gzip.end();
    await this.#done;
    await flush(this.#path);
    return { lines: this.#lines, bytes: this.#bytes, sha256: this.#hash.digest('hex') };
  }
}

export async function flush(path: string): Promise<void> {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** Yields the value of every line. @throws BackupError for a line that is not JSON, or a file that is not gzip */
export async function* readLines(path: string): AsyncGenerator<unknown> {
  const file = createReadStream(path);
  const lines = file.pipe(createGunzip());
  file.once('error', (error) => lines.destroy(error));
  let number = 0;
  try {
    for await (const line of createInterface({ input: lines as Readable, crlfDelay: Infinity })) {
      number += 1;
      yield JSON.parse(line) as unknown;
    }
    await finished(lines);
  } catch (cause) {
    if (cause instanceof SyntaxError || isZlib(cause))
      throw new BackupError(`${path}: line ${number} cannot be read`, { cause });
    throw cause;
  } finally {
    file.destroy();
  }
}

const isZlib = (error: unknown): boolean => String(codeOf(error)).startsWith('Z_');

/** Returns the SHA-256 of a file, hex, and its size in bytes. @throws BackupError when the file is missing */
export async function factsOf(path: string): Promise<Pick<FileFacts, 'bytes' | 'sha256'>> {
  const hash = createHash('sha256');
  let bytes = 0;
  try {
    for await (const chunk of createReadStream(path) as AsyncIterable<Buffer>) {
      hash.update(chunk);
      bytes += chunk.length;
    }
  } catch (cause) {
    if (codeOf(cause) !== 'ENOENT') throw cause;
    throw new BackupError(`${path} is missing`, { cause });
  }
  return { bytes, sha256: hash.digest('hex') };
}
