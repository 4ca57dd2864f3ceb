/** Moves through the rows of whatever list is on the page: a row is found by its role, what opens it by a class or attribute. */
import { navigate } from '../state/guard.ts';

const ROW = 'tr, [role=row]';
const OPENS = '.row-button, [data-row-open]';

const rowOf = (element: Element | null): Element | null => element?.closest(ROW) ?? null;

/** What opens each row, from the top. */
function handles(): HTMLElement[] {
  const found = document.querySelectorAll<HTMLElement>(`main :is(${ROW}) :is(${OPENS})`);
  return Array.from(found).filter((handle) => handle.closest('dialog') === null && handle.checkVisibility());
}

/** Focuses the next or the previous row; without one, the first that is in view. */
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

/** While a row's panel is open: the panel of the next or the previous row, when they are links. */
export function movePanel(by: 1 | -1): void {
  const links = handles().filter((handle) => handle instanceof HTMLAnchorElement);
  const next = links[links.findIndex(({ href }) => href === location.href) + by];
  if (next === undefined || !links.some(({ href }) => href === location.href)) return;
  const { pathname, search } = next;
  next.scrollIntoView({ block: 'nearest' });
  const state: unknown = history.state;
  navigate(pathname + search, { replace: true, state });
}

/** Presses the box of the focused row; with `isRange` also those since the row that was selected last. */
export function selectRow(isRange: boolean): void {
  const box = rowOf(document.activeElement)?.querySelector('input[type=checkbox], [role=checkbox]');
  box?.dispatchEvent(new MouseEvent('click', { bubbles: true, cancelable: true, shiftKey: isRange }));
}
