import { ERRORS, type BulkAnswer, type ErrorCode, isErrorCode } from '@sentinel-node/contracts';
import type { LogRecord } from '@sentinel-node/platform';
import type { RejectedLine } from './accept-line.ts';
import { appendOrUndo, type Append, type Sender } from './append.ts';
import { Refusal } from './domain/refusal.ts';
import type { LineRequest, Receipts } from './receipts.ts';

interface Pending {
  readonly line: number;
  readonly record: LogRecord;
  /** Refusal of the line when the record is its notice; undefined when the record is the report itself. */
  readonly refusal: Refusal | undefined;
  readonly receiptRequest: LineRequest | undefined;
  /** Called when the record could not be stored. */
  readonly undo: (() => void) | undefined;
}

const DETAIL_CHARACTERS = 300;

/**
 * Collects the outcome of each line of a bulk body: accepted once its record is durable, else refused.
 * @boundedBy one bulk body
 */
export class BulkOutcome {
  #pending: Pending[] = [];
  #accepted = 0;
  readonly #rejected: BulkAnswer['rejected'] = [];
  readonly #durable: LineRequest[] = [];
  #failure: Refusal | undefined;
  pendingBytes = 0;

  /** Set after a failed append: then no more records are appended, which keeps the order of each file's lines. */
  get stopped(): ErrorCode | undefined {
    return this.#failure?.code;
  }

  /** Adds an accepted line. @param receiptRequest undefined when no receipt is requested */
  take(line: number, record: LogRecord, receiptRequest: LineRequest | undefined): void {
    this.#wait({ line, record, receiptRequest, refusal: undefined, undo: undefined });
  }

  refuse(line: number, { code, detail, errors }: Refusal): void {
    const [first] = errors ?? [];
    const text =
      first === undefined ? (detail ?? ERRORS[code].title) : `${first.path} ${first.message}`.trim();
    this.#rejected.push({ line, code, detail: text.slice(0, DETAIL_CHARACTERS) });
  }

  /** Adds a refused line, which counts as refused once its notice is durable. */
  reject(line: number, { refusal, notice, undo }: RejectedLine): void {
    if (notice === undefined) this.refuse(line, refusal);
    else this.#wait({ line, record: notice, receiptRequest: undefined, refusal, undo });
  }

  /** Makes the waiting records durable. A busy or full log refuses their lines. */
  async append(append: Append, sender: Sender): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    this.pendingBytes = 0;
    if (pending.length === 0) return;
    const records = pending.map(({ record }) => record);
    const failure = await appendOrUndo(append, sender, records, () => {
      for (const { undo } of pending) undo?.();
    });
    if (failure !== undefined) return this.#notKept(pending, failure);
    for (const { line, refusal, receiptRequest } of pending) {
      if (refusal === undefined) this.#accepted += 1;
      else this.refuse(line, refusal);
      if (receiptRequest !== undefined) this.#durable.push(receiptRequest);
    }
  }

  /**
   * Returns the answer, as text when it has a receipt; a refusal of the whole body when a busy or full log left no line
   * accepted.
   * @param body the body of these lines
   */
  answer(receipts: Pick<Receipts, 'bulk'> | undefined, body: Uint8Array): BulkAnswer | Buffer | Refusal {
    if (this.#failure !== undefined && this.#accepted === 0) return this.#failure;
    const rejected = this.#rejected.sort((a, b) => a.line - b.line);
    const answer = { accepted: this.#accepted, rejected };
    if (receipts === undefined || this.#durable.length === 0) return answer;
    return receipts.bulk(answer, this.#durable, body);
  }

  /** Counts lines by outcome, for the metrics. */
  counts(): Map<ErrorCode | 'ACCEPTED', number> {
    const counts = new Map<ErrorCode | 'ACCEPTED', number>([['ACCEPTED', this.#accepted]]);
    for (const { code } of this.#rejected)
      if (isErrorCode(code)) counts.set(code, (counts.get(code) ?? 0) + 1);
    return counts;
  }

  #notKept(pending: readonly Pending[], failure: Refusal): void {
    this.#failure = failure;
    for (const { line } of pending) this.refuse(line, new Refusal(failure.code));
  }

  #wait(pending: Pending): void {
    this.#pending.push(pending);
    this.pendingBytes += pending.record.body.length;
  }
}
