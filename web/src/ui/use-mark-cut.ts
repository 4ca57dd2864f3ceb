import { useLayoutEffect, type RefObject } from 'react';

/**
 * Marks a table with `data-cut` while it is wider than its place. A table that scrolls sideways cannot keep its head below that of
 * the page, so that it only scrolls where it must. The mark is set before the browser paints: as a state of React it would come a
 * frame later, and the page would scroll sideways until then.
 * @param isWanted false: the table is not measured
 */
export function useMarkCut(table: RefObject<HTMLTableElement | null>, isWanted: boolean): void {
  useLayoutEffect(() => {
    const [shown, place] = [table.current, table.current?.parentElement];
    if (!isWanted || !shown || !place) return undefined;
    const mark = (): boolean => shown.toggleAttribute('data-cut', shown.scrollWidth > place.clientWidth + 1);
    mark();
    const watch = new ResizeObserver(mark);
    watch.observe(place);
    // What stands in the cells changes, too; the table itself keeps its width while it scrolls.
    if (shown.tHead !== null) watch.observe(shown.tHead);
    return () => {
      watch.disconnect();
      shown.removeAttribute('data-cut');
    };
  }, [table, isWanted]);
}
