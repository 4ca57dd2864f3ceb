import { useCallback, useEffect, useState } from 'react';
import { setUrlParams, useUrlParams } from './url.ts';

const TYPING_MS = 250;

interface Typed {
  text: string;
  /** The URL's value at the last rendering. */
  seen: string;
  /** The value that this hook wrote last. */
  written: string;
}

/** State of a text field whose value is written to the URL after a pause in typing. */
export function useUrlText(name: string): { text: string; setText: (text: string) => void; settled: string } {
  const settled = useUrlParams().get(name) ?? '';
  const [typed, setTyped] = useState<Typed>({ text: settled, seen: settled, written: settled });
  if (settled !== typed.seen) {
    const isOurs = settled === typed.written;
    setTyped({ text: isOurs ? typed.text : settled, seen: settled, written: settled });
  }
  const { text } = typed;
  useEffect(() => {
    const wanted = text.trim();
    if (wanted === settled) return undefined;
    const timer = setTimeout(() => {
      setTyped((old) => ({ ...old, written: wanted }));
      setUrlParams({ [name]: wanted, page: null });
    }, TYPING_MS);
    return () => clearTimeout(timer);
  }, [name, text, settled]);
  const setText = useCallback((next: string) => setTyped((old) => ({ ...old, text: next })), []);
  return { text, setText, settled };
}
