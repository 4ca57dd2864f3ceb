import { PAGE_LENGTHS } from '../ui/PageLength.tsx';
import { setUrlParams, useUrlParams } from './url.ts';

/** Returns a table's page, from 0 (in the URL from 1), and its length. */
export function useUrlPage() {
  const asked = Number(useUrlParams().get('page') ?? 1);
  const page = Number.isSafeInteger(asked) && asked > 0 ? asked - 1 : 0;
  const onPage = (next: number): void =>
    setUrlParams({ page: next === 0 ? null : String(next + 1) }, { push: true });
  return { page, onPage, ...useUrlPageLength() };
}

/** Returns the number of rows of a page from the URL. */
export function useUrlPageLength(): { pageLength: number; onPageLength: (rows: number) => void } {
  const asked = Number(useUrlParams().get('rows'));
  const [standard] = PAGE_LENGTHS;
  const pageLength = PAGE_LENGTHS.find((rows) => rows === asked) ?? standard;
  const onPageLength = (rows: number): void =>
    setUrlParams({ rows: rows === standard ? null : String(rows), page: null }, { push: true });
  return { pageLength, onPageLength };
}
