/**
 * Writes CSV as decisions 9 asks: semicolons, RFC 4180 quoting, UTF-8 with BOM, and no cell that a spreadsheet would
 * run.
 */
export const BOM = '\uFEFF';
const LINE_END = '\r\n';
const MISSING = '-';
/**
 * Places at which a spreadsheet could begin a formula: the start of a cell, and what would start one in a spreadsheet that splits
 * cells at commas or tabs. Such a one does not see our quotes, because they do not follow a separator of its own.
 */
const FORMULAS = /^(?=[=+\-@\t\r])|(?<=[,\t\r\n]"?)(?=[=+\-@])/g;

/** null and undefined are missing values. */
export type Cell = string | null | undefined;

export function csvLine(cells: readonly Cell[]): string {
  return cells.map(csvCell).join(';') + LINE_END;
}

function csvCell(cell: Cell): string {
  if (cell === null || cell === undefined) return MISSING;
  const text = cell.replace(FORMULAS, "'");
  return /[;"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
}
