/** Focuses a shown section, as its `ref`, because the focused form is gone. */
export const focusOn = (section: HTMLElement | null): void => section?.focus();

/** Focuses the content of the page, where a screen reader begins, because the focused control is gone. */
export const focusPage = (): void => document.getElementById('main')?.focus({ preventScroll: true });
