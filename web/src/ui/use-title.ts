import { visible } from '@sentinel-node/contracts';
import { useEffect } from 'react';

const PRODUCT = 'Sentinel Node';
/** Title parts: the page's, then those of open panels. */
let parts: { text: string }[] = [];

const show = (): void => {
  document.title = [...parts.map(({ text }) => text).reverse(), PRODUCT].join(' · ');
};

/** Adds a text to the tab's title while the component is mounted; nothing for null. */
export function useTitle(text: string | null): void {
  useEffect(() => {
    if (text === null) return undefined;
    const part = { text: visible(text) };
    parts = [...parts, part];
    show();
    return () => {
      parts = parts.filter((other) => other !== part);
      show();
    };
  }, [text]);
}
