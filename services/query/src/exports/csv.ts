/** CSV as decisions 9 wants it: semicolons, RFC 4180 quoting, UTF-8 with BOM, no cell that a spreadsheet would run. */
export const BOM = '\uFEFF';
const LINE_END = '\r\n';
const MISSING = '-';
/** What a spreadsheet takes for a formula. */
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
