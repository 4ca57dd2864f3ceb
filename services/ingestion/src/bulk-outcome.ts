import { ERRORS, type BulkAnswer, type ErrorCode, isErrorCode } from '@sentinel-node/contracts';
import type { LogRecord } from '@sentinel-node/platform';
import type { RejectedLine } from './accept-line.ts';
import { appendOrUndo, type Append, type Sender } from './append.ts';
import { Refusal } from './domain/refusal.ts';
import type { DurableLine, Receipts, ReceiptWish } from './receipts.ts';

interface Pending {
  readonly line: number;
  readonly record: LogRecord;
  /** Of the line that the record is a notice of; undefined: the record is the report itself. */
  readonly refusal: Refusal | undefined;
  readonly wish: ReceiptWish | undefined;
  /** Called when the record could not be kept. */
  readonly undo: (() => void) | undefined;
}

const DETAIL_CHARACTERS = 300;

/**
 * What became of the lines of a bulk body: taken once their record is durable, else refused.
 * @boundedBy one bulk body
 */
export class BulkOutcome {
  #pending: Pending[] = [];
  #accepted = 0;
  readonly #rejected: BulkAnswer['rejected'] = [];
  readonly #durable: DurableLine[] = [];
  #failure: Refusal | undefined;
  pendingBytes = 0;

  /** Set when an append failed: nothing more is appended then, so that the order of each file's lines holds. */
  get stopped(): ErrorCode | undefined {
    return this.#failure?.code;
  }

  /** @param wish undefined: no receipt is wanted */
  take(line: number, record: LogRecord, wish: ReceiptWish | undefined): void {
    this.#wait({ line, record, wish, refusal: undefined, undo: undefined });
  }

  refuse(line: number, { code, detail, errors }: Refusal): void {
    const [first] = errors ?? [];
    const text =
      first === undefined ? (detail ?? ERRORS[code].title) : `${first.path} ${first.message}`.trim();
    this.#rejected.push({ line, code, detail: text.slice(0, DETAIL_CHARACTERS) });
  }

  /** A line with a notice is refused for good once the notice is durable. */
  reject(line: number, { refusal, notice, undo }: RejectedLine): void {
    if (notice === undefined) this.refuse(line, refusal);
    else this.#wait({ line, record: notice, wish: undefined, refusal, undo });
  }

  /** Makes what waits durable. A log that is busy or full refuses those lines. */
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
    for (const { line, refusal, wish } of pending) {
      if (refusal === undefined) this.#accepted += 1;
      else this.refuse(line, refusal);
      if (wish !== undefined) this.#durable.push({ ...wish, line });
    }
  }

  /** Refused as a whole when nothing was taken because the log is busy or full. */
  answer(receipts: Pick<Receipts, 'bulk'> | undefined): BulkAnswer | Refusal {
    if (this.#failure !== undefined && this.#accepted === 0) return this.#failure;
    const rejected = this.#rejected.sort((a, b) => a.line - b.line);
    const answer = { accepted: this.#accepted, rejected };
    if (receipts === undefined || this.#durable.length === 0) return answer;
    return { ...answer, receipt: receipts.bulk(this.#durable) };
  }

  /** Lines by outcome, for the metrics. */
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
