/**
 * Writes CSV as decision 9 of the specification asks: semicolons, RFC 4180 quoting, UTF-8 with BOM, and no cell that a
 * spreadsheet would run.
 */
export const CSV_BOM = '\uFEFF';
const LINE_END = '\r\n';
const MISSING = '-';
/** The first characters that a spreadsheet takes for a formula. */
const FORMULA = /^[=+\-@\t\r]/;

/**
 * A character after a comma or a line break: a spreadsheet whose lists are separated by commas sees a quote inside of a
 * cell as text, so that quoting does not keep it from beginning a cell there. Quotes and blanks before it are dropped.
 * One match takes a whole run of them, so that no text makes this slow.
 */
const INNER_FORMULA = /([,\n\r][",\t\n\r]*)([=+\-@])?/g;

/** null and undefined are missing values. */
export type CsvCell = string | null | undefined;

export function csvLine(cells: readonly CsvCell[]): string {
  return cells.map(csvCell).join(';') + LINE_END;
}

function csvCell(cell: CsvCell): string {
  if (cell === null || cell === undefined) return MISSING;
  const inner = cell.replaceAll(INNER_FORMULA, (run: string, before: string, sign?: string) =>
    sign === undefined ? run : `${before}'${sign}`,
  );
  return csvQuoted(FORMULA.test(cell) ? `'${inner}` : inner);
}

/** Returns a text as a cell, in quotes where it needs them. The text may still be a formula. */
export const csvQuoted = (text: string): string =>
  /[;"\r\n]/.test(text) ? `"${text.replaceAll('"', '""')}"` : text;
