/** Table settings per person, stored in this browser. */
import { atom, useAtom, useAtomValue } from 'jotai';
import { isRecord } from '../narrow.ts';
import { userAtom } from './session.ts';

export interface ViewSettings {
  density: 'comfortable' | 'compact';
  /** By table: shown optional columns, and hidden default columns. */
  columns: Readonly<Record<string, { shown: readonly string[]; hidden: readonly string[] }>>;
}

const STANDARD: ViewSettings = { density: 'comfortable', columns: {} };
const STORED = 'sentinel.view';
/** Settings that this page has read or set, by person. */
const settingsAtom = atom<Readonly<Record<string, ViewSettings>>>({});

export function useViewSettings(): {
  settings: ViewSettings;
  change: (part: Partial<ViewSettings>) => void;
} {
  const user = useAtomValue(userAtom);
  const [held, hold] = useAtom(settingsAtom);
  const name = `${STORED} ${user?.userId ?? ''}`;
  const settings = held[name] ?? readStored(name);
  const change = (part: Partial<ViewSettings>): void => {
    const next = { ...settings, ...part };
    hold((old) => ({ ...old, [name]: next }));
    try {
      localStorage.setItem(name, JSON.stringify(next));
    } catch {
      // Storage is blocked or full: the choice lasts as long as the page.
    }
  };
  return { settings, change };
}

/** Reads the stored settings; unreadable parts get their defaults. */
function readStored(name: string): ViewSettings {
  try {
    const value: unknown = JSON.parse(localStorage.getItem(name) ?? 'null');
    if (!isRecord(value)) return STANDARD;
    const columns = isRecord(value['columns']) ? value['columns'] : {};
    return {
      density: value['density'] === 'compact' ? 'compact' : 'comfortable',
      columns: Object.fromEntries(
        Object.entries(columns).map(([table, chosen]) => [table, choiceOf(chosen)]),
      ),
    };
  } catch {
    return STANDARD;
  }
}

const choiceOf = (value: unknown) => ({
  shown: textsOf(isRecord(value) ? value['shown'] : []),
  hidden: textsOf(isRecord(value) ? value['hidden'] : []),
});

const textsOf = (value: unknown): string[] =>
  Array.isArray(value) ? value.filter((one) => typeof one === 'string') : [];
