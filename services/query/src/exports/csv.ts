/**
 * Writes CSV as decisions 9 asks: semicolons, RFC 4180 quoting, UTF-8 with BOM, and no cell that a spreadsheet would
 * run.
 */
export const BOM = '\uFEFF';
const LINE_END = '\r\n';
const MISSING = '-';
/** The first characters that a spreadsheet takes for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/** null and undefined are missing values. */
export type Cell = string | null | undefined;

export function csvLine(cells: readonly Cell[]): string {
  return cells.map(csvCell).join(';') + LINE_END;
}

function csvCell(cell: Cell): string {
  if (cell === null || cell === undefined) return MISSING;
  const text = FORMULA.test(cell) ? `'${cell}` : cell;
  return /[;"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
