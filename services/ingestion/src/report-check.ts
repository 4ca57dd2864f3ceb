import {
  BulkLineSchema,
  isRealTime,
  isServerCode,
  readPlainReport,
  ReportSchema,
  type BulkLine,
  type Report,
} from '@sentinel-node/contracts';
import {
  compileChecker,
  holdsLoneSurrogate,
  LONE_SURROGATE,
  REPEATED,
  repeatedMember,
  type Checker,
  type FieldError,
} from '@sentinel-node/platform';
import type { FitReport } from './domain/accept.ts';
import type { BulkLineRange } from './domain/bulk-lines.ts';
import { holdsExactNumbers } from './domain/exact-numbers.ts';
import { mayRepeatNames } from './domain/repeated-names.ts';

export type Checked<T> =
  | { readonly fits: true; readonly value: T }
  /** `parsed` is undefined when the text is not JSON. */
  | { readonly fits: false; readonly errors: readonly FieldError[]; readonly parsed: unknown };

/** A line of a bulk body, with the id of its file. */
export interface FitLine extends FitReport {
  readonly fileId: string;
}

/** Returns the text of a line; undefined when its bytes are not UTF-8. */
export type Decode = (range: BulkLineRange) => string | undefined;

const INEXACT = 'must hold no number that is read as another one';
const SERVER_ONLY = 'must be no code by which the server tells something itself';
const UNREAL = 'must be a time that exists, from 1970 on';

const reports = compileChecker(ReportSchema);
const lines = compileChecker(BulkLineSchema);

/** Checks the body of a single report. `text` returns the body's text; undefined when the bytes are not UTF-8. */
export function checkReport(body: Uint8Array, text: () => string | undefined): Checked<FitReport> {
  const plain = readPlainReport(body, 0, body.length);
  return plain !== undefined && plain.fileId === undefined
    ? { fits: true, value: plain }
    : checkReportText(text());
}

/** Checks a line of a bulk body. */
export function checkLine(body: Uint8Array, range: BulkLineRange, decode: Decode): Checked<FitLine> {
  const plain = readPlainReport(body, range.start, range.end);
  if (plain?.fileId === undefined) return checkLineText(decode(range));
  const { fileId, sequence, packed } = plain;
  return { fits: true, value: { fileId, sequence, packed } };
}

/** `checkReport` for any form of JSON. */
export function checkReportText(text: string | undefined): Checked<Report> {
  return check(text, reports);
}

/** `checkLine` for any form of JSON. */
export function checkLineText(text: string | undefined): Checked<BulkLine> {
  return check(text, lines);
}

function check<T extends Report>(text: string | undefined, checker: Checker<T>): Checked<T> {
  const checked = checkJson(text, checker);
  if (!checked.fits) return checked;
  const error = beyondTheSchema(text!, checked.value);
  return error === undefined ? checked : { fits: false, errors: [error], parsed: checked.value };
}

/** Checks that a text is JSON and fits a schema. */
export function checkJson<T>(text: string | undefined, checker: Checker<T>): Checked<T> {
  if (text === undefined) return unfit('must be UTF-8');
  let parsed: unknown;
  try {
    parsed = JSON.parse(text);
  } catch {
    return unfit('must be JSON');
  }
  if (checker.check(parsed)) return { fits: true, value: parsed };
  return { fits: false, errors: checker.errors(parsed), parsed };
}

function unfit(message: string): Checked<never> {
  return { fits: false, errors: [{ path: '', message }], parsed: undefined };
}

function beyondTheSchema(text: string, report: Report): FieldError | undefined {
  if (!isRealTime(report.timestamp)) return { path: '/timestamp', message: UNREAL };
  if (report.error !== undefined && isServerCode(report.error.code))
    return { path: '/error/code', message: SERVER_ONLY };
  const { mtime } = report.attributes ?? {};
  if (mtime !== undefined && !isRealTime(mtime)) return { path: '/attributes/mtime', message: UNREAL };
  const repeated = mayRepeatNames(text, report) ? repeatedMember(text) : undefined;
  if (repeated !== undefined) return { path: repeated, message: REPEATED };
  if (holdsLoneSurrogate(text)) return { path: '', message: LONE_SURROGATE };
  return holdsExactNumbers(text) ? undefined : { path: '', message: INEXACT };
}
