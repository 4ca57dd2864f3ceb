import { useEffect } from 'react';

const PRODUCT = 'Sentinel Node';
/** Title parts: the page's, then those of open panels. */
let parts: { text: string }[] = [];

const show = (): void => {
  document.title = [...parts.map(({ text }) => text).reverse(), PRODUCT].join(' · ');
};

/** Adds a text to the tab's title while the component is mounted. */
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
