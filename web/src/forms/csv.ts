export interface CsvRow {
  /** First line of the row, from 1. */
  line: number;
  /** Last line of the row: a quoted cell may span several lines. */
  lastLine: number;
  cells: string[];
}

/** Parses CSV by RFC 4180, without empty rows. Returns the line of an unclosed quote as `openQuote`. */
export function parseCsv(text: string, separator: string): { rows: CsvRow[] } | { openQuote: number } {
  const rows: CsvRow[] = [];
  let line = 1;
  let row: CsvRow = { line, lastLine: line, cells: [] };
  let cell = '';
  let quotedSince = 0;
  const endCell = (): void => {
    row.cells.push(cell);
    cell = '';
  };
  const endRow = (lastLine: number): void => {
    endCell();
    row.lastLine = lastLine;
    if (row.cells.some((held) => held.trim() !== '')) rows.push(row);
    row = { line, lastLine: line, cells: [] };
  };
  const whole = text.replace('\ufeff', '').replaceAll('\r\n', '\n');
  for (let at = 0; at < whole.length; at++) {
    const sign = whole.charAt(at);
    if (sign === '\n') line += 1;
    if (quotedSince > 0) {
      if (sign !== '"') cell += sign;
      else if (whole.charAt(at + 1) === '"') {
        cell += '"';
        at += 1;
      } else quotedSince = 0;
    } else if (sign === '"' && cell.trim() === '') {
      cell = '';
      quotedSince = line;
    } else if (sign === separator) endCell();
    else if (sign === '\n') endRow(line - 1);
    else cell += sign;
  }
  if (quotedSince > 0) return { openQuote: quotedSince };
  endRow(line);
  return { rows };
}
