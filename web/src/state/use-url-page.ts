import { setUrlParams, useUrlParams } from './url.ts';

/** The page of a table, from 0, as the address has it (there from 1). */
export function useUrlPage(): { page: number; onPage: (page: number) => void } {
  const asked = Number(useUrlParams().get('page') ?? 1);
  const page = Number.isSafeInteger(asked) && asked > 0 ? asked - 1 : 0;
  const onPage = (next: number): void =>
    setUrlParams({ page: next === 0 ? null : String(next + 1) }, { push: true });
  return { page, onPage };
}
