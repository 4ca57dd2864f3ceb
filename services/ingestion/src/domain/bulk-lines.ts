const NEWLINE = 0x0a;
const CARRIAGE_RETURN = 0x0d;

/** Position of a line in the body, without its line end. */
export interface BulkLineRange {
  /** Counts from 1, empty lines included. */
  readonly line: number;
  readonly start: number;
  readonly end: number;
}

/** Bytes of a bulk body that cost about as much as a report. */
export const REPORT_COST_BYTES = 4_096;

/** Returns how many reports a body counts for at least: its bytes are work also when they hold few lines, or none. */
export const reportsByBytes = (bytes: number): number => Math.max(1, Math.floor(bytes / REPORT_COST_BYTES));

/**
 * Returns the lines of an NDJSON body, without empty ones; undefined when there are more than `maxLines`, empty ones
 * included. A line ends with LF or CR LF; the last line needs no line end.
 */
export function bulkLines(body: Buffer, maxLines: number): BulkLineRange[] | undefined {
  const lines: BulkLineRange[] = [];
  let line = 0;
  for (let start = 0; start < body.length;) {
    line += 1;
    if (line > maxLines) return undefined;
    const empty = lengthOfEmptyLine(body, start);
    if (empty > 0) {
      start += empty;
      continue;
    }
    const newline = body.indexOf(NEWLINE, start);
    const next = newline === -1 ? body.length : newline;
    const end = newline !== -1 && body[newline - 1] === CARRIAGE_RETURN ? newline - 1 : next;
    lines.push({ line, start, end });
    start = next + 1;
  }
  return lines;
}

/** Returns the bytes of an empty line's end at `start`; 0 for other lines. */
function lengthOfEmptyLine(body: Buffer, start: number): number {
  if (body[start] === NEWLINE) return 1;
  return body[start] === CARRIAGE_RETURN && body[start + 1] === NEWLINE ? 2 : 0;
}
