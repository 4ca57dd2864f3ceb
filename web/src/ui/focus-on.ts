/** Focuses a shown section, as its `ref`, because the focused form is gone. */
export const focusOn = (section: HTMLElement | null): void => section?.focus();
