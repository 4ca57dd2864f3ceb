import { useEffect, useLayoutEffect, useRef, useState } from 'react';
import { announceUnsaved, dropForm, keptForm } from './kept-forms.ts';
import { notify } from './notices.ts';

/**
 * Returns the values that were kept for a form, or null; says to the person that they are back.
 * @param name null for a form that is not kept
 * @param read returns null for values that the form cannot take
 */
export function useKept<V>(name: string | null, read: (kept: unknown) => V | null): V | null {
  const [kept] = useState(() => (name === null ? null : read(keptForm(name))));
  useEffect(() => {
    if (name === null) return;
    dropForm(name);
    if (kept !== null)
      notify({ tone: 'info', title: 'What you typed is back.', text: 'It is not saved yet.' });
  }, [name, kept]);
  return kept;
}

/** Keeps the values of a form with unsaved input when the session ends. */
export function useKeep(name: string | null, values: unknown, isUnsaved: boolean): void {
  const latest = useRef(values);
  useLayoutEffect(() => {
    latest.current = values;
  });
  useEffect(
    () => (name !== null && isUnsaved ? announceUnsaved(name, () => latest.current) : undefined),
    [name, isUnsaved],
  );
}
