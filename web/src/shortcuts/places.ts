/** Finds the controls of shortcuts by roles and attributes, so that a page needs no code for shortcuts. */
import { getDefaultStore } from 'jotai';
import { openDialogsAtom } from '../ui/open-dialogs.ts';

/** Attribute of a dialog in which shortcuts work. */
const WANTS_SHORTCUTS = 'data-shortcuts';
const TYPED_IN =
  'input:not([type=checkbox], [type=radio], [type=button], [type=submit]), textarea, select, [contenteditable], [role=textbox], [role=combobox], [role=searchbox]';
/** Widgets with their own keys. */
const HAS_OWN_KEYS = '[role=menu], [role=listbox], [role=dialog]:not(dialog)';

export const isTypedIn = (target: EventTarget | null): boolean =>
  target instanceof Element && target.closest(TYPED_IN) !== null;

/** Returns the scope of shortcuts: the innermost dialog or the page; null where shortcuts do not work. */
export function scopeOf(target: EventTarget | null): Element | null {
  if (target instanceof Element && target.closest(HAS_OWN_KEYS) !== null) return null;
  // Ignore a closing dialog, which remains only for its animation.
  const dialog = getDefaultStore()
    .get(openDialogsAtom)
    .findLast(({ dataset }) => !('closing' in dataset));
  if (dialog !== undefined) return dialog.hasAttribute(WANTS_SHORTCUTS) ? dialog : null;
  return document.body;
}

const isSeen = (element: Element): boolean => element.checkVisibility({ visibilityProperty: true });

/** Returns the first visible and usable control of a shortcut. */
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

/** Returns all visible and usable buttons with a shortcut. */
export function controlsOf(scope: Element): Control[] {
  const found = Array.from(scope.querySelectorAll<HTMLElement>('button[data-shortcut]'));
  return found
    .filter((element) => isUsable(element) && isSeen(element))
    .map((element) => ({ id: element.dataset['shortcut'] ?? '', text: textOf(element), element }));
}

/** Returns a control's name, without the shown keys. */
function textOf(element: HTMLElement): string {
  const copy = element.cloneNode(true);
  if (!(copy instanceof HTMLElement)) return '';
  for (const hidden of copy.querySelectorAll('[aria-hidden=true]')) hidden.remove();
  return element.getAttribute('aria-label') ?? copy.textContent.trim();
}

export function searchOf(scope: Element): HTMLInputElement | undefined {
  return Array.from(scope.querySelectorAll<HTMLInputElement>('input[type=search]')).find(isSeen);
}
