import { useEffect, useRef } from 'react';
import { focusPage } from './focus-on.ts';

/**
 * Moves the focus to the content of a page when it went with the page before: a screen reader begins there, and Tab goes on from
 * there. A focus that is still there stays, such as that of a link in the header.
 */
export function useRouteFocus(path: string): void {
  const shown = useRef(path);
  useEffect(() => {
    if (shown.current === path) return;
    shown.current = path;
    if (document.activeElement === document.body) focusPage();
  }, [path]);
}
