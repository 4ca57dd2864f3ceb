/** Frame of every command: one line for every unexpected error, and never 0 while the output is not whole. */
import { fstatSync, writeFileSync } from 'node:fs';
import { codeOf, messageOf, oneLine } from '@sentinel-node/contracts/thrown';

const FAILED = 1;
/** Time for a command to end in order after its output failed, in ms. */
const ORDERLY_MS = 1_000;
const CAUSES: Readonly<Record<string, string>> = {
  ENOSPC: 'the disk is full',
  EDQUOT: 'the quota of the disk is used up',
  EFBIG: 'the file would be larger than allowed',
  EIO: 'the device fails',
};

/** Returns an unexpected error as one line, with the place in the code that threw it. */
export function internalError(error: unknown): string {
  const stack = error instanceof Error ? (error.stack ?? '') : '';
  const place = /^\s+at (.+)$/m.exec(stack)?.[1];
  return `stopped by an internal error: ${oneLine(messageOf(error))}${place === undefined ? '' : ` (at ${place})`}`;
}

export interface Frame {
  /** Whether a part of the output was lost. */
  isCut(): boolean;
  /** Returns the exit code: another one than 0 when the output is not whole. */
  ended(code: number): number;
}

/** @param name the command as typed, for messages */
export function openFrame(name: string): Frame {
  const say = (line: string): void => void process.stderr.write(`${name}: ${line}\n`);
  let isCut = false;
  const fail = (error: unknown): void => {
    say(internalError(error));
    process.exit(FAILED);
  };
  process.on('uncaughtException', fail).on('unhandledRejection', fail);
  for (const stream of [process.stdout, process.stderr]) writeWhole(stream);
  process.stdout.on('error', (error) => {
    if (isCut) return;
    isCut = true;
    say(lossOf(error));
    process.exitCode = process.exitCode || FAILED;
    setTimeout(() => process.exit(), ORDERLY_MS).unref();
  });
  // Nobody reads what could be said of it.
  process.stderr.on('error', () => undefined);
  return { isCut: () => isCut, ended: (code) => (isCut && code === 0 ? FAILED : code) };
}

function lossOf(error: unknown): string {
  const code = codeOf(error) ?? '';
  if (code === 'EPIPE') return 'what reads the output has ended: the output is not whole';
  return `the output cannot be written (${CAUSES[code] ?? oneLine(messageOf(error))}): it is not whole`;
}

/**
 * Lets a stream to a file write each piece whole: Node's passes over the number of bytes that the system took, so that
 * the end of an output is lost without an error on a disk that is nearly full.
 */
function writeWhole(stream: NodeJS.WriteStream & { readonly fd: number }): void {
  if (!isFile(stream.fd)) return;
  stream._write = (piece: Uint8Array, _encoding, done) => {
    try {
      writeFileSync(stream.fd, piece);
    } catch (error) {
      return done(error instanceof Error ? error : new Error(messageOf(error)));
    }
    done();
  };
}

function isFile(fd: number): boolean {
  try {
    return fstatSync(fd).isFile();
  } catch {
    return false;
  }
}
