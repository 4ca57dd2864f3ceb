import { isAscii, isUtf8 } from 'node:buffer';
import { isUuid, LIMITS, type BulkAnswer, type BulkLine } from '@sentinel-node/contracts';
import type { FieldError } from '@sentinel-node/platform';
import { appendDurably } from './append.ts';
import { BulkOutcome, type PassingCode } from './bulk-outcome.ts';
import { noticeStamp, type Core } from './core.ts';
import type { DeviceAddress } from './devices.ts';
import { refusalOfFile, refusalOfReport, reportRecord, type Refusal } from './domain/accept.ts';
import type { BulkLineRange } from './domain/bulk-lines.ts';
import type { DeviceSnapshot } from './domain/device-snapshot.ts';
import { malformedNotice } from './domain/notices.ts';
import { checkLine, type Checked } from './report-check.ts';

type Decode = (range: BulkLineRange) => string | undefined;

const TOO_LONG: Refusal = {
  code: 'PAYLOAD_TOO_LARGE',
  detail: `The line has more than ${LIMITS.reportBytes} bytes.`,
};

/** One bulk body: its lines are judged in order, and appended in order. */
export class BulkRun {
  readonly outcome = new BulkOutcome();
  readonly #core: Core;
  readonly #address: DeviceAddress;
  readonly #body: Buffer;
  #device: DeviceSnapshot;
  /** `#device` is what the store had after this body came. */
  #fresh = false;
  /** Every line was paid for at once; else each pays for itself. */
  #paid = false;
  /** Files of which a line was refused for a passing cause: a later line must not overtake it. */
  readonly #blocked = new Map<string, PassingCode>();

  constructor(core: Core, address: DeviceAddress, device: DeviceSnapshot, body: Buffer) {
    this.#core = core;
    this.#address = address;
    this.#device = device;
    this.#body = body;
  }

  /** @throws OverloadedError, NotDurableError when not a single line could be kept for that reason */
  async run(lines: readonly BulkLineRange[]): Promise<BulkAnswer> {
    const { limits, reportRate } = this.#core;
    const keep = appendDurably.bind(undefined, this.#core);
    const decode = decoderOf(this.#body);
    this.#paid = reportRate.take(this.#device.entity.id, lines.length).allowed;
    for (let index = 0; index < lines.length; index += 1) {
      const looked = this.#judge(lines[index]!, decode);
      // Only a look into the store takes time, and it happens at most once a body.
      if (looked !== undefined) await looked;
      if (this.outcome.pendingBytes >= limits.appendBytes) await this.outcome.append(keep);
      else if (index % limits.linesPerTurn === limits.linesPerTurn - 1) await othersTurn();
    }
    await this.outcome.append(keep);
    return this.outcome.answer();
  }

  #judge(range: BulkLineRange, decode: Decode): Promise<void> | void {
    const { outcome } = this;
    const { line, start, end } = range;
    if (outcome.stopped !== undefined) return outcome.refusePassing(line, outcome.stopped);
    if (end - start > LIMITS.reportBytes) return outcome.refuse(line, TOO_LONG);
    const checked = checkLine(decode(range));
    const fileId = checked.fits ? checked.value.fileId : fileIdOf(checked.parsed);
    const passing = this.#passingCause(fileId);
    if (passing !== undefined) return outcome.refusePassing(line, passing);
    if (fileId === undefined) return outcome.refuse(line, unfit(checked.fits ? [] : checked.errors));
    if (this.#fresh || this.#refusalOfFile(fileId) === undefined) return this.#settle(range, fileId, checked);
    return this.#look().then(() => this.#settle(range, fileId, checked));
  }

  #passingCause(fileId: string | undefined): PassingCode | undefined {
    if (this.#paid) return undefined;
    const blocked = fileId === undefined ? undefined : this.#blocked.get(fileId);
    if (blocked !== undefined) return blocked;
    if (this.#core.reportRate.take(this.#device.entity.id).allowed) return undefined;
    if (fileId !== undefined) this.#blocked.set(fileId, 'RATE_LIMITED');
    return 'RATE_LIMITED';
  }

  #refusalOfFile(fileId: string): Refusal | undefined {
    return refusalOfFile(this.#device, this.#device.files.get(fileId));
  }

  async #look(): Promise<void> {
    this.#device = await this.#core.devices.fresh(this.#address);
    this.#fresh = true;
  }

  #settle(range: BulkLineRange, fileId: string, checked: Checked<BulkLine>): void {
    const refusal = this.#refusalOfFile(fileId);
    if (!checked.fits) return this.#refuseUnfit(range.line, fileId, refusal !== undefined, checked.errors);
    if (refusal !== undefined) return this.outcome.refuse(range.line, refusal);
    return this.#take(range, fileId, checked.value);
  }

  #take({ line, start, end }: BulkLineRange, fileId: string, report: BulkLine): void {
    const nowMs = this.#core.deps.clock.now();
    const refusal = refusalOfReport(report, nowMs);
    if (refusal !== undefined) return this.outcome.refuse(line, refusal);
    const record = reportRecord({
      device: this.#device,
      file: this.#device.files.get(fileId)!,
      sequence: report.sequence,
      source: this.#body,
      start,
      end,
      nowMs,
      nonce: this.#core.nonces.next(),
      allocate: this.#core.allocate,
    });
    this.outcome.take(line, record);
  }

  /** A notice belongs to a file that is monitored. */
  #refuseUnfit(line: number, fileId: string, foreign: boolean, errors: readonly FieldError[]): void {
    const { malformed, deps } = this.#core;
    const nowMs = deps.clock.now();
    if (foreign || !malformed.take(fileId, nowMs)) return this.outcome.refuse(line, unfit(errors));
    const notice = malformedNotice(this.#device.entity, fileId, errors, noticeStamp(this.#core, nowMs));
    this.outcome.refuseWithNotice(line, unfit(errors), notice, () => malformed.giveBack(fileId));
  }
}

/** Looks at the whole body once: of ASCII the bytes are the characters, and UTF-8 does not break at a line's end. */
function decoderOf(body: Buffer): Decode {
  if (isAscii(body)) return ({ start, end }) => body.toString('latin1', start, end);
  if (isUtf8(body)) return ({ start, end }) => body.toString('utf8', start, end);
  return ({ start, end }) =>
    isUtf8(body.subarray(start, end)) ? body.toString('utf8', start, end) : undefined;
}

function unfit(errors: readonly FieldError[]): Refusal {
  return { code: 'VALIDATION_FAILED', detail: 'The line is not valid.', errors };
}

/** Of a line that does not fit, if it says so much. */
function fileIdOf(parsed: unknown): string | undefined {
  if (typeof parsed !== 'object' || parsed === null || !Object.hasOwn(parsed, 'fileId')) return undefined;
  const { fileId } = parsed as { readonly fileId: unknown };
  return typeof fileId === 'string' && isUuid(fileId) ? fileId : undefined;
}

function othersTurn(): Promise<void> {
  return new Promise((resolve) => setImmediate(resolve));
}
