import { spawn } from 'node:child_process';
import type { FileHandle } from 'node:fs/promises';
import { PassThrough, type Readable } from 'node:stream';
import { createGunzip } from 'node:zlib';

/**
 * The archive cannot be decompressed. `cut` is true when its end is missing, perhaps because it is still
 * being written.
 */
export class UnreadableArchiveError extends Error {
  readonly code = 'UNREADABLE_ARCHIVE';
  readonly cut: boolean;
  constructor(message: string, cut: boolean) {
    super(message);
    this.cut = cut;
  }
}

/** Format of an archive. */
export interface Format {
  readonly magic: readonly number[];
  /** The installed program for the format; undefined for Node's own decompressor. */
  readonly program?: string;
}

const GZIP: Format = { magic: [0x1f, 0x8b] };
const FORMATS: readonly Format[] = [
  GZIP,
  { magic: [0xfd, 0x37, 0x7a, 0x58, 0x5a, 0x00], program: 'xz' },
  { magic: [0x28, 0xb5, 0x2f, 0xfd], program: 'zstd' },
  { magic: [0x42, 0x5a, 0x68], program: 'bzip2' },
];
const MAGIC_BYTES = 6;
/** Messages of the programs about a file whose end is missing. */
const CUT = /unexpected end|ends unexpectedly|premature|truncated|unexpectedly/i;
const SAID_CHARACTERS = 500;

/** Returns the format of an open archive; undefined when it is not compressed. */
export async function formatOf(handle: FileHandle): Promise<Format | undefined> {
  const { buffer, bytesRead } = await handle.read(Buffer.alloc(MAGIC_BYTES), 0, MAGIC_BYTES, 0);
  const starts = ({ magic }: Format): boolean =>
    bytesRead >= magic.length && magic.every((byte, index) => buffer[index] === byte);
  return FORMATS.find(starts);
}

/**
 * Returns the content of an archive in gzip (RFC 1952), xz, zstd (RFC 8878) or bzip2: gzip by Node, the
 * others by the machine's program. @param raw the bytes of the file. The stream fails with UnreadableArchiveError when decompressing fails.
 */
export function decompressed({ program }: Format, raw: Readable): Readable {
  return program === undefined ? gunzipped(raw) : byProgram(raw, program);
}

function gunzipped(raw: Readable): Readable {
  const gunzip = createGunzip();
  const out = new PassThrough();
  raw.on('error', (error) => out.destroy(error));
  gunzip.on('error', (error: NodeJS.ErrnoException) =>
    out.destroy(new UnreadableArchiveError(error.message, error.code === 'Z_BUF_ERROR')),
  );
  out.once('close', () => raw.destroy());
  raw.pipe(gunzip).pipe(out);
  return out;
}

function byProgram(raw: Readable, program: string): Readable {
  const out = new PassThrough();
  const child = spawn(program, ['-d', '-c'], { stdio: ['pipe', 'pipe', 'pipe'] });
  let said = '';
  const fail = (message: string): void => {
    out.destroy(new UnreadableArchiveError(message, CUT.test(said)));
  };
  child.once('error', () => fail(`the program ${program} is not installed`));
  child.stdin.on('error', () => undefined); // the program ended before reading all input; its exit code shows why
  child.stderr.on('data', (text: Buffer) => (said = `${said}${text.toString()}`.slice(-SAID_CHARACTERS)));
  child.stdout.pipe(out, { end: false });
  child.once('close', (code) => (code === 0 ? out.end() : fail(`${program}: ${said.trim()}`)));
  raw.on('error', (error) => out.destroy(error));
  raw.pipe(child.stdin);
  out.once('close', () => {
    raw.destroy();
    child.kill('SIGKILL');
  });
  return out;
}
