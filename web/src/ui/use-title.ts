import { useEffect } from 'react';

const PRODUCT = 'Sentinel Node';
/** Of the page, then of what is open on it. */
let parts: { text: string }[] = [];

const show = (): void => {
  document.title = [...parts.map(({ text }) => text).reverse(), PRODUCT].join(' · ');
};

/** Names the page, or the thing that is open on it, in the title of the tab while the component is there. */
export function useTitle(text: string): void {
  useEffect(() => {
    const part = { text };
    parts = [...parts, part];
    show();
    return () => {
      parts = parts.filter((other) => other !== part);
      show();
    };
  }, [text]);
}
