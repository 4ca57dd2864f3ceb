import { appendFile, mkdir, readdir, readFile, rename, stat, truncate } from 'node:fs/promises';
import { join } from 'node:path';
import { KeptReceiptSchema, type KeptReceipt } from '@sentinel-node/contracts';
import { compiled } from '../compiled.ts';
import { writeWhole } from './sealed.ts';

const NEWEST = 'receipts.ndjson';
/** The previous file, renamed when it was full. */
const BEFORE = 'receipts-before.ndjson';
const LF = 0x0a;
/** Receipts whose proofs could not be got, each with the time since when. */
const UNANSWERED = 'unanswered.json';
const BROKEN = /^broken-promise-[0-9a-f-]+\.json$/;
/** Size of each of the two files, in bytes: some 20,000 receipts in both. */
const FILE_BYTES = 8_388_608;
/** Most saved broken promises, which stay as evidence. */
export const BROKEN_PROMISES = 100;

const kept = compiled(KeptReceiptSchema);

/** A receipt whose proof the server has not shown since a time, in ms by its clock. */
export interface Unanswered {
  readonly receipt: KeptReceipt;
  readonly since: number;
}

/** Stores receipts as lines of JSON, each a document of docs/formats.md; the oldest are dropped. */
export class ReceiptFolder {
  readonly #folder: string;
  readonly #newest: string;
  /** Bytes of the whole lines in the newest file. */
  #bytes = 0;
  /** Whether the newest file may hold more than its whole lines. */
  #isCut = false;
  #broken = new Set<string>();

  private constructor(folder: string) {
    this.#folder = folder;
    this.#newest = join(folder, NEWEST);
  }

  /** @throws Error of node:fs */
  static async open(path: string): Promise<ReceiptFolder> {
    const folder = new ReceiptFolder(path);
    await mkdir(path, { recursive: true, mode: 0o700 });
    folder.#broken = new Set((await readdir(path)).filter((name) => BROKEN.test(name)));
    // An error must not count as an empty file: what is behind the known bytes may be removed.
    const bytes = (await readFile(folder.#newest).catch(ignoreMissing)) ?? Buffer.alloc(0);
    folder.#bytes = bytes.lastIndexOf(LF) + 1;
    folder.#isCut = folder.#bytes < bytes.length;
    return folder;
  }

  /** Number of broken promises. */
  get broken(): number {
    return this.#broken.size;
  }

  /**
   * Removes a line first that a power cut or a full disk cut short: joined with the next, both would be unreadable.
   * @throws Error of node:fs
   */
  async append(receipts: readonly KeptReceipt[]): Promise<void> {
    const text = receipts.map((one) => `${JSON.stringify(one)}\n`).join('');
    if (this.#isCut) await this.#removeCutLine();
    if (this.#bytes + text.length > FILE_BYTES) {
      await rename(this.#newest, join(this.#folder, BEFORE)).catch(ignoreMissing);
      this.#bytes = 0;
    }
    this.#isCut = true;
    await appendFile(this.#newest, text, { mode: 0o600 });
    this.#bytes += text.length;
    this.#isCut = false;
  }

  /**
   * Returns receipts of both files, `count` at most, without incomplete lines: a random sample in random order, because a run of
   * `--once` asks about the first that are due only.
   */
  async sample(count: number): Promise<KeptReceipt[]> {
    const files = await Promise.all([BEFORE, NEWEST].map((name) => this.#read(name)));
    const lines = files.flatMap((bytes) => linesOf(bytes));
    return randomOf(lines, count).flatMap((line) => receiptIn(line.toString()) ?? []);
  }

  async #read(name: string): Promise<Buffer> {
    return await readFile(join(this.#folder, name)).catch(() => Buffer.alloc(0));
  }

  /** Returns the receipts without an answer that were saved last; none when the file is not whole. */
  async unanswered(): Promise<Unanswered[]> {
    return unansweredIn((await this.#read(UNANSWERED)).toString());
  }

  /** Saves the receipts without an answer. @throws Error of node:fs */
  async saveUnanswered(all: readonly Unanswered[]): Promise<void> {
    await writeWhole(join(this.#folder, UNANSWERED), `${JSON.stringify(all)}\n`);
  }

  /** Returns whether the broken promise of a receipt is saved. */
  hasBroken(receipt: KeptReceipt): boolean {
    return this.#broken.has(brokenNameOf(receipt));
  }

  /** Saves a broken promise in its own file, as evidence. @throws Error of node:fs */
  async saveBroken(receipt: KeptReceipt): Promise<void> {
    const name = brokenNameOf(receipt);
    if (this.#broken.size >= BROKEN_PROMISES && !this.#broken.has(name)) return;
    await writeWhole(join(this.#folder, name), `${JSON.stringify(receipt, null, 2)}\n`);
    this.#broken.add(name);
  }

  async #removeCutLine(): Promise<void> {
    const size = (await stat(this.#newest).catch(ignoreMissing))?.size ?? 0;
    if (size > this.#bytes) await truncate(this.#newest, this.#bytes);
    // Smaller: somebody moved the file away. Truncating would fill it with zeros.
    else this.#bytes = size;
  }
}

const brokenNameOf = ({ fileId, reportHash }: KeptReceipt): string =>
  `broken-promise-${fileId}-${reportHash.slice(0, 16)}.json`;

/** Splits bytes into lines that share the memory of the bytes: most of them are not read. */
function linesOf(bytes: Buffer): Buffer[] {
  const lines: Buffer[] = [];
  let start = 0;
  for (let end = bytes.indexOf(LF); end !== -1; end = bytes.indexOf(LF, start)) {
    if (end > start) lines.push(bytes.subarray(start, end));
    start = end + 1;
  }
  return lines;
}

/** Returns `count` elements at most in random order (Fisher and Yates, ended early). */
function randomOf<T>(all: readonly T[], count: number): T[] {
  const left = [...all];
  return Array.from({ length: Math.min(count, left.length) }, () => {
    const [one] = left.splice(Math.floor(Math.random() * left.length), 1);
    return one!;
  });
}

function unansweredIn(text: string): Unanswered[] {
  try {
    const all: unknown = JSON.parse(text);
    return Array.isArray(all) ? all.filter(isUnanswered) : [];
  } catch {
    return []; // none was saved yet
  }
}

function isUnanswered(value: unknown): value is Unanswered {
  if (typeof value !== 'object' || value === null) return false;
  return (
    'since' in value && typeof value.since === 'number' && 'receipt' in value && kept().Check(value.receipt)
  );
}

function receiptIn(line: string): KeptReceipt | undefined {
  try {
    const value: unknown = JSON.parse(line);
    return kept().Check(value) ? value : undefined;
  } catch {
    return undefined; // the agent ended while writing the line
  }
}

function ignoreMissing(error: NodeJS.ErrnoException): undefined {
  if (error.code !== 'ENOENT') throw error;
  return undefined;
}
