import { isAscii, isUtf8 } from 'node:buffer';
import { isUuid, LIMITS, type BulkAnswer } from '@sentinel-node/contracts';
import { acceptLine, isRejected, type LineJudge } from './accept-line.ts';
import type { Append } from './append.ts';
import { BulkOutcome } from './bulk-outcome.ts';
import type { DeviceAddress, Devices } from './devices.ts';
import { refusalOfFile } from './domain/accept.ts';
import type { BulkLineRange } from './domain/bulk-lines.ts';
import type { DeviceFile, DeviceSnapshot } from './domain/device-snapshot.ts';
import { Refusal } from './domain/refusal.ts';
import type { IngestionLimits } from './limits.ts';
import type { Receipts } from './receipts.ts';
import type { SenderRates } from './sender-rates.ts';
import { checkLine, type Checked, type Decode, type FitLine } from './report-check.ts';

const INVALID = 'The line is not valid.';
const RATE_LIMITED = new Refusal('RATE_LIMITED');
const TOO_LONG = new Refusal('PAYLOAD_TOO_LARGE', {
  detail: `The line has more than ${LIMITS.reportBytes} bytes.`,
});

/** A line that is too long is not parsed: its file is known when the line begins with it, as agents write it. */
const BEGINS_WITH_FILE = /^\s*\{\s*"fileId"\s*:\s*"([0-9a-f-]{36})"/;
const BEGINNING_BYTES = 200;

export interface BulkRunParts {
  readonly devices: Devices;
  readonly reportRates: SenderRates;
  readonly judge: LineJudge;
  readonly append: Append;
  /** Undefined when the caller requests no receipt. */
  readonly receipts: Receipts | undefined;
  /**
   * Allocates memory for records, shared by all requests: a chunk for each request would be most of the cost of a small
   * body.
   */
  readonly allocate: (bytes: number) => Uint8Array;
  readonly limits: Pick<IngestionLimits, 'appendBytes' | 'linesPerTurn'>;
}

/**
 * Judges and appends the lines of one bulk body in order.
 * @boundedBy one bulk body
 */
export class BulkRun {
  readonly outcome = new BulkOutcome();
  readonly #parts: BulkRunParts;
  readonly #address: DeviceAddress;
  readonly #body: Buffer;
  #device: DeviceSnapshot;
  /** True when `#device` was read from the store after this body came. */
  #fresh = false;
  /** True when one charge paid for all lines; else each line pays for itself. */
  #paid = false;
  /** Files with a line that was refused for its rate; later lines of the file must not overtake it. */
  readonly #blocked = new Set<string>();

  constructor(parts: BulkRunParts, address: DeviceAddress, device: DeviceSnapshot, body: Buffer) {
    this.#parts = parts;
    this.#address = address;
    this.#device = device;
    this.#body = body;
  }

  /**
   * Returns the answer, as text when it has a receipt; a refusal of the whole body when the device is no longer
   * admitted, or when no line could be stored.
   */
  async run(lines: readonly BulkLineRange[]): Promise<BulkAnswer | Buffer | Refusal> {
    try {
      return await this.#run(lines);
    } finally {
      this.outcome.drop();
    }
  }

  async #run(lines: readonly BulkLineRange[]): Promise<BulkAnswer | Buffer | Refusal> {
    const { limits, reportRates, append } = this.#parts;
    const decode = decoderOf(this.#body);
    this.#paid = reportRates.take(this.#device.entity, lines.length) === undefined;
    for (let index = 0; index < lines.length; index += 1) {
      const reading = this.#judge(lines[index]!, decode);
      // Only a read of the store is awaited, at most once for a body.
      const refusal = reading === undefined ? undefined : await reading;
      if (refusal !== undefined) return refusal;
      if (this.outcome.pendingBytes >= limits.appendBytes)
        await this.outcome.append(append, this.#device.entity);
      else if (index % limits.linesPerTurn === limits.linesPerTurn - 1) await othersTurn();
    }
    await this.outcome.append(append, this.#device.entity);
    return this.outcome.answer(this.#parts.receipts, this.#body);
  }

  #judge(range: BulkLineRange, decode: Decode): Promise<Refusal | undefined> | undefined {
    const { outcome } = this;
    const { line, start, end } = range;
    if (outcome.stopped !== undefined) return void outcome.refuse(line, new Refusal(outcome.stopped));
    if (end - start > LIMITS.reportBytes) return void this.#refuseTooLong(range);
    const checked = checkLine(this.#body, range, decode);
    const fileId = checked.fits ? checked.value.fileId : fileIdOf(checked.parsed);
    if (!this.#isPaid(fileId)) return void outcome.refuse(line, RATE_LIMITED);
    if (fileId === undefined) {
      const errors = checked.fits ? [] : checked.errors;
      return void outcome.refuse(line, new Refusal('VALIDATION_FAILED', { detail: INVALID, errors }));
    }
    const file = this.#device.files.get(fileId);
    const isKnown = refusalOfFile(this.#device, file) === undefined;
    if (this.#fresh || isKnown) return void this.#accept(range, fileId, file, checked);
    // Checks again, because other checks may have overwritten the first result.
    return this.#read(() =>
      this.#accept(range, fileId, this.#device.files.get(fileId), checkLine(this.#body, range, decode)),
    );
  }

  #refuseTooLong({ line, start, end }: BulkLineRange): void {
    const { judge } = this.#parts;
    const beginning = this.#body.toString('latin1', start, Math.min(end, start + BEGINNING_BYTES));
    const fileId = BEGINS_WITH_FILE.exec(beginning)?.[1];
    if (fileId !== undefined && refusalOfFile(this.#device, this.#device.files.get(fileId)) === undefined)
      judge.refusedFiles.refused(this.#device.entity.orgId, fileId, judge.clock.now());
    this.outcome.refuse(line, TOO_LONG);
  }

  #isPaid(fileId: string | undefined): boolean {
    if (this.#paid) return true;
    if (fileId !== undefined && this.#blocked.has(fileId)) return false;
    if (this.#parts.reportRates.take(this.#device.entity) === undefined) return true;
    if (fileId !== undefined) this.#blocked.add(fileId);
    return false;
  }

  async #read(then: () => void): Promise<Refusal | undefined> {
    const device = await this.#parts.devices.fresh(this.#address);
    if (device instanceof Refusal) return device;
    this.#device = device;
    this.#fresh = true;
    then();
    return undefined;
  }

  #accept(
    { line, start, end }: BulkLineRange,
    fileId: string,
    file: DeviceFile | undefined,
    checked: Checked<FitLine>,
  ): void {
    const { judge, allocate, receipts } = this.#parts;
    const result = acceptLine(judge, {
      device: this.#device,
      fileId,
      file,
      checked,
      source: this.#body,
      start,
      end,
      allocate,
      invalid: INVALID,
      isNamedByPath: false,
    });
    if (isRejected(result)) return this.outcome.reject(line, result);
    const { acceptedAt } = result;
    const receiptRequest = receipts === undefined ? undefined : { line, fileId, acceptedAt, start, end };
    this.outcome.take(line, result, receiptRequest);
  }
}

/**
 * Checks the whole body once and returns its decoder: in ASCII, bytes equal characters, and UTF-8 can be split at the
 * end of a line.
 */
function decoderOf(body: Buffer): Decode {
  if (isAscii(body)) return ({ start, end }) => body.toString('latin1', start, end);
  if (isUtf8(body)) return ({ start, end }) => body.toString('utf8', start, end);
  return ({ start, end }) =>
    isUtf8(body.subarray(start, end)) ? body.toString('utf8', start, end) : undefined;
}

/** Returns the file id of an invalid line, if the line contains one. */
function fileIdOf(parsed: unknown): string | undefined {
  if (typeof parsed !== 'object' || parsed === null || !('fileId' in parsed)) return undefined;
  const { fileId } = parsed;
  return typeof fileId === 'string' && isUuid(fileId) ? fileId : undefined;
}

function othersTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
