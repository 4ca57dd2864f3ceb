import { isAscii } from 'node:buffer';
import { isUuid, LIMITS, type BulkAnswer, type BulkLine } from '@sentinel-node/contracts';
import type { FieldError } from '@sentinel-node/platform';
import { appendDurably } from './append.ts';
import { BulkOutcome, type PassingCode } from './bulk-outcome.ts';
import { noticeStamp, type Core } from './core.ts';
import type { DeviceAddress } from './devices.ts';
import { refusalOfFile, refusalOfReport, reportRecord, type Refusal } from './domain/accept.ts';
import type { BulkLineBytes } from './domain/bulk-lines.ts';
import type { DeviceSnapshot } from './domain/device-snapshot.ts';
import { malformedNotice } from './domain/notices.ts';
import { textOf } from './http/read-body.ts';
import { checkLine } from './report-check.ts';

type Decode = (bytes: Buffer) => string | undefined;

const TOO_LONG: Refusal = {
  code: 'PAYLOAD_TOO_LARGE',
  detail: `The line has more than ${LIMITS.reportBytes} bytes.`,
};

/** One bulk body: its lines are judged in order, and appended in order. */
export class BulkRun {
  readonly outcome = new BulkOutcome();
  readonly #core: Core;
  readonly #address: DeviceAddress;
  #device: DeviceSnapshot;
  /** `#device` is what the store had after this body came. */
  #fresh = false;
  /** Files of which a line was refused for a passing cause: a later line must not overtake it. */
  readonly #blocked = new Map<string, PassingCode>();

  constructor(core: Core, address: DeviceAddress, device: DeviceSnapshot) {
    this.#core = core;
    this.#address = address;
    this.#device = device;
  }

  /** @throws OverloadedError, NotDurableError when not a single line could be kept for that reason */
  async run(body: Buffer, lines: readonly BulkLineBytes[]): Promise<BulkAnswer> {
    const { appendBytes, linesPerTurn } = this.#core.limits;
    const keep = appendDurably.bind(undefined, this.#core);
    // Of ASCII the bytes are the characters, which is quicker than UTF-8.
    const decode: Decode = isAscii(body) ? (bytes) => bytes.toString('latin1') : textOf;
    for (let index = 0; index < lines.length; index += 1) {
      const { line, bytes } = lines[index]!;
      await this.#judge(line, bytes, decode);
      if (this.outcome.pendingBytes >= appendBytes) await this.outcome.append(keep);
      else if (index % linesPerTurn === linesPerTurn - 1) await othersTurn();
    }
    await this.outcome.append(keep);
    return this.outcome.answer();
  }

  /** Waits for nothing but a look into the store, which happens at most once. */
  async #judge(line: number, bytes: Buffer, decode: Decode): Promise<void> {
    const { outcome } = this;
    if (outcome.stopped !== undefined) return outcome.refusePassing(line, outcome.stopped);
    if (bytes.length > LIMITS.reportBytes) return outcome.refuse(line, TOO_LONG);
    const checked = checkLine(decode(bytes));
    const fileId = checked.fits ? checked.value.fileId : fileIdOf(checked.parsed);
    const passing = this.#passingCause(fileId);
    if (passing !== undefined) return outcome.refusePassing(line, passing);
    if (fileId === undefined) return outcome.refuse(line, unfit(checked.fits ? [] : checked.errors));
    const refusal = this.#refusalOfFile(fileId) && (await this.#refusalByTheStore(fileId));
    if (!checked.fits) return this.#refuseUnfit(line, fileId, refusal !== undefined, checked.errors);
    if (refusal !== undefined) return outcome.refuse(line, refusal);
    return this.#take(line, fileId, checked.value, bytes);
  }

  #passingCause(fileId: string | undefined): PassingCode | undefined {
    const blocked = fileId === undefined ? undefined : this.#blocked.get(fileId);
    if (blocked !== undefined) return blocked;
    if (this.#core.reportRate.take(this.#device.entity.id).allowed) return undefined;
    if (fileId !== undefined) this.#blocked.set(fileId, 'RATE_LIMITED');
    return 'RATE_LIMITED';
  }

  #refusalOfFile(fileId: string): Refusal | undefined {
    return refusalOfFile(this.#device, this.#device.files.get(fileId));
  }

  async #refusalByTheStore(fileId: string): Promise<Refusal | undefined> {
    if (!this.#fresh) {
      this.#device = await this.#core.devices.fresh(this.#address);
      this.#fresh = true;
    }
    return this.#refusalOfFile(fileId);
  }

  #take(line: number, fileId: string, report: BulkLine, bytes: Buffer): void {
    const nowMs = this.#core.deps.clock.now();
    const refusal = refusalOfReport(report, nowMs);
    if (refusal !== undefined) return this.outcome.refuse(line, refusal);
    const { sequence } = report;
    const nonce = this.#core.nonces.next();
    const file = this.#device.files.get(fileId)!;
    this.outcome.take(line, reportRecord({ device: this.#device, file, sequence, bytes, nowMs, nonce }));
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
