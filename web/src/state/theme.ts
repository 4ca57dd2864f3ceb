import { getDefaultStore } from 'jotai';
import { storedChoice } from '../stored-choice.ts';

export const THEMES = ['system', 'light', 'dark'] as const;
export type Theme = (typeof THEMES)[number];

export const themeAtom = storedChoice<Theme>('theme', THEMES, 'system');

/** Applies the chosen theme and its changes; `first-theme.js` applied it before the first paint. */
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

/** Sets the colour of the browser's own bars on a phone to the page's background. */
function colourBrowser(): void {
  const probe = getComputedStyle(document.body).getPropertyValue('background-color');
  for (const meta of document.querySelectorAll('meta[name="theme-color"]'))
    meta.setAttribute('content', probe);
}
