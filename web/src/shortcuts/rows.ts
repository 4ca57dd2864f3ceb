/**
 * Moves through the rows of the page's list: finds a row by its role, and its opening element by class or attribute.
 */
import { navigate } from '../state/guard.ts';

const ROW = 'tr, [role=row]';
const OPENS = '.row-button, [data-row-open]';

const rowOf = (element: Element | null): Element | null => element?.closest(ROW) ?? null;

/** Returns the element that opens each row, from the top. */
function handles(): HTMLElement[] {
  const found = document.querySelectorAll<HTMLElement>(`main :is(${ROW}) :is(${OPENS})`);
  return Array.from(found).filter((handle) => handle.closest('dialog') === null && handle.checkVisibility());
}

/** Focuses the next or previous row; without a focused row, the first one in view. */
export function moveRow(by: 1 | -1): void {
  const all = handles();
  const focused = rowOf(document.activeElement);
  const at = focused === null ? -1 : all.findIndex((handle) => focused.contains(handle));
  const target = at === -1 ? (all.find(isInView) ?? all[0]) : all[at + by];
  target?.focus({ preventScroll: true });
  target?.scrollIntoView({ block: 'nearest' });
}

const isInView = (handle: HTMLElement): boolean => {
  const { top, bottom } = handle.getBoundingClientRect();
  return top >= 0 && bottom <= window.innerHeight;
};

/** With a row's panel open, opens the panel of the next or previous row, when the rows are links. */
export function movePanel(by: 1 | -1): void {
  const links = handles().filter((handle) => handle instanceof HTMLAnchorElement);
  const next = links[links.findIndex(({ href }) => href === location.href) + by];
  if (next === undefined || !links.some(({ href }) => href === location.href)) return;
  const { pathname, search } = next;
  next.scrollIntoView({ block: 'nearest' });
  const state: unknown = history.state;
  navigate(pathname + search, { replace: true, state });
}

/** Toggles the focused row's checkbox; with `isRange` also those since the last selected row. */
export function selectRow(isRange: boolean): void {
  const box = rowOf(document.activeElement)?.querySelector('input[type=checkbox], [role=checkbox]');
  box?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey: isRange }));
}
