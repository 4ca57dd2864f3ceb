import { ERRORS, type BulkAnswer, type ErrorCode } from '@sentinel-node/contracts';
import { NotDurableError, OverloadedError, type LogRecord } from '@sentinel-node/platform';
import type { Refusal } from './domain/accept.ts';

/** Causes that pass: the same line can be taken later. */
export type PassingCode = 'RATE_LIMITED' | 'OVERLOADED' | 'NOT_DURABLE';

interface Pending {
  readonly line: number;
  readonly record: LogRecord;
  /** Of the line that the record is a notice of; undefined: the record is the report itself. */
  readonly refusal: Refusal | undefined;
  /** Called when the record could not be kept. */
  readonly undo: (() => void) | undefined;
}

const DETAIL_CHARACTERS = 300;

/** What became of the lines of a bulk body: taken once their record is durable, else refused. */
export class BulkOutcome {
  #pending: Pending[] = [];
  #accepted = 0;
  readonly #rejected: BulkAnswer['rejected'] = [];
  #failure: OverloadedError | NotDurableError | undefined;
  pendingBytes = 0;

  /** Set when an append failed: nothing more is appended then, so that the order of each file's lines holds. */
  get stopped(): PassingCode | undefined {
    if (this.#failure === undefined) return undefined;
    return this.#failure instanceof OverloadedError ? 'OVERLOADED' : 'NOT_DURABLE';
  }

  take(line: number, record: LogRecord): void {
    this.#wait({ line, record, refusal: undefined, undo: undefined });
  }

  refuse(line: number, { code, detail, errors }: Refusal): void {
    const [first] = errors ?? [];
    const text = first === undefined ? detail : `${first.path} ${first.message}`.trim();
    this.#rejected.push({ line, code, detail: text.slice(0, DETAIL_CHARACTERS) });
  }

  /** The line is refused for good once its notice is durable. */
  refuseWithNotice(line: number, refusal: Refusal, record: LogRecord, undo: () => void): void {
    this.#wait({ line, record, refusal, undo });
  }

  refusePassing(line: number, code: PassingCode): void {
    this.refuse(line, { code, detail: ERRORS[code].title });
  }

  /** Makes what waits durable. A log that is busy or full refuses those lines; other errors are thrown. */
  async append(keep: (records: readonly LogRecord[]) => Promise<void>): Promise<void> {
    const pending = this.#pending;
    this.#pending = [];
    this.pendingBytes = 0;
    if (pending.length === 0) return;
    try {
      await keep(pending.map(({ record }) => record));
      for (const { line, refusal } of pending) {
        if (refusal === undefined) this.#accepted += 1;
        else this.refuse(line, refusal);
      }
    } catch (error) {
      for (const { undo } of pending) undo?.();
      if (!(error instanceof OverloadedError || error instanceof NotDurableError)) throw error;
      this.#failure = error;
      for (const { line } of pending) this.refusePassing(line, this.stopped!);
    }
  }

  /** @throws OverloadedError, NotDurableError when nothing was taken for that reason */
  answer(): BulkAnswer {
    if (this.#failure !== undefined && this.#accepted === 0) throw this.#failure;
    return { accepted: this.#accepted, rejected: this.#rejected.sort((a, b) => a.line - b.line) };
  }

  /** Lines by outcome, for the metrics. */
  counts(): Map<ErrorCode | 'ACCEPTED', number> {
    const counts = new Map<ErrorCode | 'ACCEPTED', number>([['ACCEPTED', this.#accepted]]);
    for (const { code } of this.#rejected) {
      counts.set(code as ErrorCode, (counts.get(code as ErrorCode) ?? 0) + 1);
    }
    return counts;
  }

  #wait(pending: Pending): void {
    this.#pending.push(pending);
    this.pendingBytes += pending.record.body.length;
  }
}
