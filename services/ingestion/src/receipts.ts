import { ReceiptLeaves, type BulkAnswer, type SignedReceipts } from '@sentinel-node/contracts';
import type { LogKey } from '@sentinel-node/platform';
import { bulkAnswerText } from './domain/bulk-answer-text.ts';
import { receiptTexts } from './domain/receipt-text.ts';

/**
 * A line of a bulk body that requests a receipt. Its bytes are hashed once they are durable: keeping the hashes of many
 * waiting lines would cost the garbage collector more than the hashing.
 */
export interface LineRequest {
  readonly line: number;
  readonly fileId: string;
  readonly acceptedAt: number;
  /** Position of the line's bytes in the body. */
  readonly start: number;
  readonly end: number;
}

/** A durable report that waits for its receipt. */
interface Waiting {
  readonly fileId: string;
  readonly acceptedAt: number;
  readonly report: Uint8Array;
  readonly resolve: (text: string) => void;
  readonly reject: (error: unknown) => void;
}

export const RECEIPT_PREFERENCE = 'receipt';

/**
 * Makes receipts (docs/formats.md) for durable reports. One signature covers all single reports that became durable in
 * one turn of the event loop; another covers the lines of a bulk body.
 * @boundedBy reports and bodies that are being answered
 */
export class Receipts {
  readonly #key: Pick<LogKey, 'logId' | 'sign'>;
  /** Leaves of single reports. One object for all turns: its arrays are outside the heap and cost more than a hash. */
  readonly #leaves: ReceiptLeaves;
  /** Reports of the current turn of the event loop. */
  #waiting: Waiting[] = [];

  constructor(key: Pick<LogKey, 'logId' | 'sign'>) {
    this.#key = key;
    this.#leaves = new ReceiptLeaves(key.logId);
  }

  /**
   * Returns the JSON text of the receipt of a report that has just become durable. The reports of a turn are hashed and
   * signed together, after the other work of the turn, because code that runs again at once costs less.
   * @param report the bytes as received
   */
  single(fileId: string, acceptedAt: number, report: Uint8Array): Promise<string> {
    return new Promise((resolve, reject) => {
      if (this.#waiting.length === 0) setImmediate(() => this.#answer());
      this.#waiting.push({ fileId, acceptedAt, report, resolve, reject });
    });
  }

  /** Returns the text of an answer with the receipt of a body's durable lines; at least one line. */
  bulk(answer: Omit<BulkAnswer, 'receipt'>, lines: readonly LineRequest[], body: Uint8Array): Buffer {
    const leaves = new ReceiptLeaves(this.#key.logId);
    for (const { fileId, acceptedAt, start, end } of lines)
      leaves.addBytes(fileId, acceptedAt, body.subarray(start, end));
    return bulkAnswerText(answer, this.#sign(leaves), lines);
  }

  #answer(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    this.#leaves.clear();
    const hashed = waiting.filter((one) => isAdded(this.#leaves, one));
    if (hashed.length === 0) return;
    try {
      const textOf = receiptTexts(this.#sign(this.#leaves));
      hashed.forEach(({ acceptedAt, resolve }, index) => resolve(textOf(acceptedAt, index)));
    } catch (error) {
      for (const { reject } of hashed) reject(error);
    }
  }

  #sign(leaves: ReceiptLeaves): SignedReceipts {
    return leaves.sign((message) => this.#key.sign(message));
  }
}

/** Adds the report's leaf. A report without a valid leaf fails alone. */
function isAdded(leaves: ReceiptLeaves, { fileId, acceptedAt, report, reject }: Waiting): boolean {
  try {
    leaves.addBytes(fileId, acceptedAt, report);
    return true;
  } catch (error) {
    reject(error);
    return false;
  }
}
