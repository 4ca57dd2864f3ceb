/** Where shortcuts work, found by roles and attributes, so that a page needs no code for them. */
import { getDefaultStore } from 'jotai';
import { openDialogsAtom } from '../ui/open-dialogs.ts';

/** A dialog that shortcuts work in carries it. */
const WANTS_SHORTCUTS = 'data-shortcuts';
const TYPED_IN =
  'input:not([type=checkbox], [type=radio], [type=button], [type=submit]), textarea, select, [contenteditable], [role=textbox], [role=combobox], [role=searchbox]';
/** Small things with keys of their own. */
const HAS_OWN_KEYS = '[role=menu], [role=listbox], [role=dialog]:not(dialog)';

export const isTypedIn = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(TYPED_IN) !== null;

/** What shortcuts are about: the innermost dialog, or the page; null where they are not wanted. */
export function scopeOf(target: EventTarget | null): Element | null {
  if (target instanceof Element && target.closest(HAS_OWN_KEYS) !== null) return null;
  // One that is closing stays for its animation, and takes no keys any more.
  const dialog = getDefaultStore()
    .get(openDialogsAtom)
    .findLast(({ dataset }) => !('closing' in dataset));
  if (dialog !== undefined) return dialog.hasAttribute(WANTS_SHORTCUTS) ? dialog : null;
  return document.body;
}

const isSeen = (element: Element): boolean => element.checkVisibility({ visibilityProperty: true });

/** The control that does it, of those that are seen and can be used. */
export function controlOf(scope: Element, id: string): HTMLElement | undefined {
  const controls = scope.querySelectorAll<HTMLElement>(`[data-shortcut="${id}"]`);
  return Array.from(controls).find((control) => isUsable(control) && isSeen(control));
}

const isUsable = (control: Element): boolean => !control.matches(':disabled, [aria-disabled=true]');

export interface Control {
  id: string;
  text: string;
  element: HTMLElement;
}

/** Everything on the screen that a shortcut would press. */
export function controlsOf(scope: Element): Control[] {
  const found = Array.from(scope.querySelectorAll<HTMLElement>('button[data-shortcut]'));
  return found
    .filter((element) => isUsable(element) && isSeen(element))
    .map((element) => ({ id: element.dataset['shortcut'] ?? '', text: textOf(element), element }));
}

/** What a control is called, without the keys beside it. */
function textOf(element: HTMLElement): string {
  const copy = element.cloneNode(true);
  if (!(copy instanceof HTMLElement)) return '';
  for (const hidden of copy.querySelectorAll('[aria-hidden=true]')) hidden.remove();
  return element.getAttribute('aria-label') ?? copy.textContent.trim();
}

export function searchOf(scope: Element): HTMLInputElement | undefined {
  return Array.from(scope.querySelectorAll<HTMLInputElement>('input[type=search]')).find(isSeen);
}
