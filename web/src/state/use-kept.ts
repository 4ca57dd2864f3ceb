import { getDefaultStore } from 'jotai';
import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { announceUnsaved, dropForm, formPlace, keptForm, mayKeptBeSaved } from './kept-forms.ts';
import { dismissTitled, noticesAtom, notify } from './notices.ts';
import { noteSent } from './unanswered.ts';

/**
 * Returns the values that were kept for a form, or null; says to the person that they are back.
 * @param name null for a form that is not kept
 * @param read returns null for values that the form cannot take
 */
export function useKept<V>(name: string | null, read: (kept: unknown) => V | null): V | null {
  const [kept] = useState(() => (name === null ? null : read(keptForm(name))));
  const [isUnsure] = useState(mayKeptBeSaved);
  useEffect(() => {
    if (name === null) return;
    dropForm(name);
    if (kept === null) return;
    sayBack(isUnsure);
    // Nobody knows more when the form is kept once again.
    if (isUnsure) noteSent(formPlace())('unknown');
  }, [name, kept, isUnsure]);
  return kept;
}

const MAY_BE_SAVED = 'It may be saved already: there was no answer. Look before you save it again.';

const BACK = 'What you typed is back.';

/** Says that what was typed is back, once for all parts of a form. */
function sayBack(isUnsure: boolean): void {
  const isSaid = getDefaultStore()
    .get(noticesAtom)
    .some((notice) => notice.title === BACK);
  if (isSaid) return;
  if (isUnsure) notify({ tone: 'warning', title: BACK, text: MAY_BE_SAVED });
  else notify({ tone: 'info', title: BACK, text: 'It is not saved yet.' });
}

/** Same as `useState` of a text, but keeps the text when the session ends. */
export function useKeptText(name: string, initial = ''): [string, (text: string) => void] {
  const kept = useKept(name, (found) => (typeof found === 'string' ? found : null));
  const [text, setText] = useState(kept ?? initial);
  useKeep(name, text, text !== '');
  return [text, setText];
}

/** Keeps the values of a form with unsaved input when the session ends. Once they are saved or given up, nothing is said of them. */
export function useKeep(name: string | null, values: unknown, isUnsaved: boolean): void {
  const latest = useRef(values);
  useLayoutEffect(() => {
    latest.current = values;
  });
  useEffect(() => {
    if (name === null || !isUnsaved) return undefined;
    const end = announceUnsaved(name, () => latest.current);
    return () => {
      end();
      dismissTitled(BACK);
    };
  }, [name, isUnsaved]);
}
