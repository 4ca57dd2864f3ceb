import { ReceiptLeaves, type BulkAnswer, type SignedReceipts } from '@sentinel-node/contracts';
import type { LogKey } from '@sentinel-node/platform';
import { bulkAnswerText } from './domain/bulk-answer-text.ts';
import { receiptTexts, type ReceiptTexts } from './domain/receipt-text.ts';

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

/** Reports of one turn of the event loop. */
interface Turn {
  readonly leaves: ReceiptLeaves;
  readonly texts: Promise<ReceiptTexts>;
}

export const RECEIPT_PREFERENCE = 'receipt';

/**
 * Makes receipts (docs/formats.md) for durable reports. One signature covers all single reports that became durable in
 * one turn of the event loop; another covers the lines of a bulk body.
 * @boundedBy reports and bodies that are being answered
 */
export class Receipts {
  readonly #key: Pick<LogKey, 'logId' | 'sign'>;
  #turn: Turn | undefined;

  constructor(key: Pick<LogKey, 'logId' | 'sign'>) {
    this.#key = key;
  }

  /**
   * Returns the JSON text of the receipt of a report that has just become durable. All reports of a turn wait for the
   * promise of their signature. @param report the bytes as received
   */
  async single(fileId: string, acceptedAt: number, report: Uint8Array): Promise<string> {
    const { leaves, texts } = (this.#turn ??= this.#begin());
    const index = leaves.addBytes(fileId, acceptedAt, report);
    const textOf = await texts;
    return textOf(acceptedAt, index);
  }

  /** Returns the text of an answer with the receipt of a body's durable lines; at least one line. */
  bulk(answer: Omit<BulkAnswer, 'receipt'>, lines: readonly LineRequest[], body: Uint8Array): Buffer {
    const leaves = new ReceiptLeaves(this.#key.logId);
    for (const { fileId, acceptedAt, start, end } of lines)
      leaves.addBytes(fileId, acceptedAt, body.subarray(start, end));
    return bulkAnswerText(answer, this.#sign(leaves), lines);
  }

  #begin(): Turn {
    const leaves = new ReceiptLeaves(this.#key.logId);
    const texts = new Promise<ReceiptTexts>((resolve, reject) => {
      setImmediate(() => {
        this.#turn = undefined;
        // Nobody waits when the only report of the turn had no valid leaf.
        if (leaves.count === 0) return;
        try {
          resolve(receiptTexts(this.#sign(leaves)));
        } catch (error) {
          reject(error);
        }
      });
    });
    return { leaves, texts };
  }

  #sign(leaves: ReceiptLeaves): SignedReceipts {
    return leaves.sign((message) => this.#key.sign(message));
  }
}
