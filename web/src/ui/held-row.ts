interface Page {
  /** Page, from 0; the last one when there are not so many. */
  readonly page: number;
  readonly pageLength: number;
}

/**
 * Returns the rows with one of them moved as little as needed for the shown page to have it: a row that is edited would be
 * lost with its input. @param held null for none
 */
export function rowsOnPage<T>(rows: readonly T[], held: T | null, { page, pageLength }: Page): T[] {
  const at = held === null ? -1 : rows.indexOf(held);
  if (held === null || at === -1) return [...rows];
  const first = Math.min(page, Math.ceil(rows.length / pageLength) - 1) * pageLength;
  const last = Math.min(first + pageLength, rows.length) - 1;
  return rows.toSpliced(at, 1).toSpliced(Math.min(Math.max(at, first), last), 0, held);
}
