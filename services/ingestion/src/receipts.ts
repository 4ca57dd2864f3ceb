import { sha256, sha256Hex, signReceipts } from '@sentinel-node/contracts';
import type { AcceptedReport, BulkAnswer, SignedReceipts } from '@sentinel-node/contracts';
import type { LogKey } from '@sentinel-node/platform';
import { bulkAnswerText } from './domain/bulk-answer-text.ts';
import { receiptTexts } from './domain/receipt-text.ts';

/**
 * A report that requests a receipt, before it is durable. Its hash is hex: many requests wait while the log writes, and
 * a string costs the garbage collector far less than an array of bytes.
 */
export type ReceiptRequest = AcceptedReport & { readonly reportHash: string };

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

interface Waiting {
  readonly receiptRequest: ReceiptRequest;
  readonly give: (text: string) => void;
  readonly fail: (error: unknown) => void;
}

export const RECEIPT_PREFERENCE = 'receipt';

/**
 * Makes receipts (docs/formats.md) for durable reports. One signature covers all single reports that became durable in
 * one turn of the event loop; another covers the lines of a bulk body.
 * @boundedBy reports and bodies that are being answered
 */
export class Receipts {
  readonly #key: Pick<LogKey, 'logId' | 'sign'>;
  #waiting: Waiting[] = [];

  constructor(key: Pick<LogKey, 'logId' | 'sign'>) {
    this.#key = key;
  }

  /** Notes a request for a receipt. @param report the bytes as received */
  request(fileId: string, acceptedAt: number, report: Uint8Array): ReceiptRequest {
    return { fileId, acceptedAt, reportHash: sha256Hex(report) };
  }

  /** Returns the JSON text of the receipt of a report that has just become durable. */
  single(receiptRequest: ReceiptRequest): Promise<string> {
    return new Promise((give, fail) => {
      this.#waiting.push({ receiptRequest, give, fail });
      if (this.#waiting.length === 1) setImmediate(() => this.#sign());
    });
  }

  /** Returns the text of an answer with the receipt of a body's durable lines; at least one line. */
  bulk(answer: Omit<BulkAnswer, 'receipt'>, lines: readonly LineRequest[], body: Uint8Array): Buffer {
    const reports = lines.map(({ fileId, acceptedAt, start, end }) => {
      return { fileId, acceptedAt, reportHash: sha256(body.subarray(start, end)) };
    });
    return bulkAnswerText(answer, this.#tree(reports), lines);
  }

  #sign(): void {
    const waiting = this.#waiting;
    this.#waiting = [];
    try {
      const textOf = receiptTexts(this.#tree(waiting.map(({ receiptRequest }) => receiptRequest)));
      waiting.forEach(({ give, receiptRequest: { acceptedAt } }, index) =>
        give(textOf({ acceptedAt, index })),
      );
    } catch (error) {
      for (const { fail } of waiting) fail(error);
    }
  }

  #tree(reports: readonly AcceptedReport[]): SignedReceipts {
    return signReceipts(this.#key.logId, reports, (message) => this.#key.sign(message));
  }
}
