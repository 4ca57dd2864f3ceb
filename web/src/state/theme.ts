import { getDefaultStore } from 'jotai';
import { storedChoice } from './stored-choice.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const themeAtom = storedChoice<Theme>('theme', THEMES, 'system');

/** Lets the page follow the choice from now on; `first-theme.js` has done so before the first paint. */
export function followTheme(): void {
  const store = getDefaultStore();
  const apply = (): void => {
    const theme = store.get(themeAtom);
    if (theme === 'system') delete document.documentElement.dataset['theme'];
    else document.documentElement.dataset['theme'] = theme;
    colourBrowser();
  };
  apply();
  store.sub(themeAtom, apply);
  matchMedia('(prefers-color-scheme: dark)').addEventListener('change', colourBrowser);
}

/** What the browser draws around the page on a phone has the colour of the header. */
function colourBrowser(): void {
  const probe = getComputedStyle(document.body).getPropertyValue('background-color');
  for (const meta of document.querySelectorAll('meta[name="theme-color"]'))
    meta.setAttribute('content', probe);
}
