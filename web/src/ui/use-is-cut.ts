import { useLayoutEffect, useState, type RefObject } from 'react';

/**
 * Returns whether a table is wider than its place, as it is now. A table that scrolls sideways cannot keep its head below that of the
 * page, so that it only scrolls where it must.
 * @param isWanted false: the table is not measured
 */
export function useIsCut(table: RefObject<HTMLTableElement | null>, isWanted: boolean): boolean {
  const [isCut, setCut] = useState(false);
  useLayoutEffect(() => {
    const [shown, place] = [table.current, table.current?.parentElement];
    if (!isWanted || !shown || !place) return undefined;
    const measure = (): void => setCut(shown.scrollWidth > place.clientWidth + 1);
    measure();
    const watch = new ResizeObserver(measure);
    watch.observe(place);
    // What stands in the cells changes, too; the table itself keeps its width while it scrolls.
    if (shown.tHead !== null) watch.observe(shown.tHead);
    return () => watch.disconnect();
  }, [table, isWanted]);
  return isWanted && isCut;
}
