import { ERRORS, type BulkAnswer, type ErrorCode, isErrorCode } from '@sentinel-node/contracts';
import type { LogRecord } from '@sentinel-node/platform';
import type { AcceptedLine, RejectedLine } from './accept-line.ts';
import { appendOrUndo, type Append, type Sender } from './append.ts';
import { Refusal } from './domain/refusal.ts';
import type { LineRequest, Receipts } from './receipts.ts';

/** A refused line whose notice waits to be durable. */
type Notified = Pick<RejectedLine, 'refusal' | 'undo'>;

/** Records that wait to be durable: one list a field, because an object for each line would be garbage of every report. */
interface Pending {
  readonly records: LogRecord[];
  /** Number of the line of each record. */
  readonly lines: number[];
  /** The refused lines among them, by the position of their notice. */
  readonly notified: Map<number, Notified>;
  /** Requests for receipts of the others. */
  readonly receiptRequests: LineRequest[];
  /** The steps after the records are durable. */
  readonly onDurable: (() => void)[];
}

const DETAIL_CHARACTERS = 300;

/**
 * Collects the outcome of each line of a bulk body: accepted once its record is durable, else refused.
 * @boundedBy one bulk body
 */
export class BulkOutcome {
  #pending = nothingPending();
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
  take(
    line: number,
    { record, onDurable }: Pick<AcceptedLine, 'record' | 'onDurable'>,
    receiptRequest: LineRequest | undefined,
  ): void {
    this.#wait(line, record);
    if (onDurable !== undefined) this.#pending.onDurable.push(onDurable);
    if (receiptRequest !== undefined) this.#pending.receiptRequests.push(receiptRequest);
  }

  refuse(line: number, { code, detail, errors }: Refusal): void {
    const [first] = errors ?? [];
    const text =
      first === undefined ? (detail ?? ERRORS[code].title) : `${first.path} ${first.message}`.trim();
    this.#rejected.push({ line, code, detail: text.slice(0, DETAIL_CHARACTERS) });
  }

  /** Adds a refused line, which counts as refused once its notice is durable. */
  reject(line: number, { refusal, notice, undo }: RejectedLine): void {
    if (notice === undefined) return this.refuse(line, refusal);
    this.#pending.notified.set(this.#pending.records.length, { refusal, undo });
    this.#wait(line, notice);
  }

  /** Makes the waiting records durable. A busy or full log refuses their lines. */
  async append(append: Append, sender: Sender): Promise<void> {
    const { records, lines, notified, receiptRequests, onDurable } = this.#pending;
    if (records.length === 0) return;
    this.#pending = nothingPending();
    this.pendingBytes = 0;
    const failure = await appendOrUndo(append, sender, records, () => {
      for (const { undo } of notified.values()) undo();
    });
    if (failure !== undefined) return this.#notKept(lines, failure);
    for (const done of onDurable) done();
    this.#accepted += records.length - notified.size;
    for (const [position, { refusal }] of notified) this.refuse(lines[position]!, refusal);
    for (const request of receiptRequests) this.#durable.push(request);
  }

  /** Forgets the waiting records of a body that is refused midway: the events of its malformed lines come when it is sent again. */
  drop(): void {
    for (const { undo } of this.#pending.notified.values()) undo();
    this.#pending = nothingPending();
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

  #notKept(lines: readonly number[], failure: Refusal): void {
    this.#failure = failure;
    for (const line of lines) this.refuse(line, new Refusal(failure.code));
  }

  #wait(line: number, record: LogRecord): void {
    this.#pending.records.push(record);
    this.#pending.lines.push(line);
    this.pendingBytes += record.body.length;
  }
}

const nothingPending = (): Pending => ({
  records: [],
  lines: [],
  notified: new Map(),
  receiptRequests: [],
  onDurable: [],
});
