/**
 * Unsaved values of forms, for the next time the form opens in this tab: after the session ended and the person signed in
 * again, or after a failed save.
 */
import { isRecord } from '../narrow.ts';
import { signedInEmail } from './session.ts';
import { mayBeSaved } from './unanswered.ts';

/** Values are stored, because signing in leaves the page; for the tab only. */
const STORED_FORMS = 'sentinel.kept-forms';
/** Longest stored text: a longer one could fill the storage of the session. */
const STORED_CHARACTERS_MAX = 2_000_000;

interface Kept {
  email: string;
  /** Address of the form. */
  place: string;
  /** Values by the form's name. */
  forms: Record<string, unknown>;
  /** Whether a change that was sent from there had no answer: the server may have saved the values already. */
  mayBeSaved: boolean;
}

/** What is not stored: kept until the page is left. @boundedBy the forms of one page */
let unstored: Kept | null = null;

/** Returns the address under which the forms of this page are kept. */
export const formPlace = (): string => location.pathname + location.search;

/** Open forms with unsaved input. @boundedBy the components that are mounted */
const unsaved = new Map<string, () => unknown>();

/** Announces a form with unsaved input. Returns the function that ends this. */
export function announceUnsaved(name: string, values: () => unknown): () => void {
  unsaved.set(name, values);
  return () => {
    if (unsaved.get(name) === values) unsaved.delete(name);
  };
}

/** Keeps a form's values for `useKept` after a failed save. @param place address from which the form was sent */
export function keepForm(name: string, values: unknown, place: string): void {
  store({ ...held(place)?.forms, [name]: values }, place);
}

/** Keeps the values of all open forms; called before the session ends. */
export function keepForms(): void {
  if (unsaved.size === 0) return;
  store(Object.fromEntries([...unsaved].map(([name, values]) => [name, values()])));
}

/** Returns whether anything is kept in this tab, also after the page is left. */
export const hasKeptForms = (): boolean => inStorage() !== null;

/** Returns the kept values of this person's form at this address; null without any. */
export function keptForm(name: string): unknown {
  return held()?.forms[name] ?? null;
}

/** Returns whether the server may have saved this person's kept values at this address already. */
export const mayKeptBeSaved = (): boolean => held()?.mayBeSaved === true;

/** Notes that the server saved nothing that was sent from an address. */
export function noteNotSaved(place: string): void {
  const kept = stored();
  if (kept?.place === place && kept.mayBeSaved) write({ ...kept, mayBeSaved: false });
}

export function dropForm(name: string): void {
  const kept = held();
  if (kept === null || !(name in kept.forms)) return;
  const { [name]: _dropped, ...forms } = kept.forms;
  if (Object.keys(forms).length === 0) dropForms();
  else write({ ...kept, forms });
}

export function dropForms(): void {
  unstored = null;
  try {
    sessionStorage.removeItem(STORED_FORMS);
  } catch {
    // Storage is blocked: there is nothing to remove.
  }
}

function store(forms: Record<string, unknown>, place = formPlace()): void {
  const person = signedInEmail();
  if (person === null) return;
  write({ email: person, place, forms, mayBeSaved: mayBeSaved(place) });
}

function write(kept: Kept): void {
  dropForms();
  if (!isStored(kept)) unstored = kept;
}

/** Stores the values. Returns false when they are too long, or the storage is blocked or full. */
function isStored(kept: Kept): boolean {
  const text = JSON.stringify(kept);
  if (text.length > STORED_CHARACTERS_MAX) return false;
  try {
    sessionStorage.setItem(STORED_FORMS, text);
    return true;
  } catch {
    return false;
  }
}

/** Returns the values that are kept for this person at an address. */
function held(place = formPlace()): Kept | null {
  const kept = stored();
  return kept !== null && kept.place === place && kept.email === signedInEmail() ? kept : null;
}

const stored = (): Kept | null => unstored ?? inStorage();

function inStorage(): Kept | null {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(STORED_FORMS) ?? 'null');
    if (!isRecord(value)) return null;
    const { email: person, place: at, forms } = value;
    if (typeof person !== 'string' || typeof at !== 'string' || !isRecord(forms)) return null;
    return { email: person, place: at, forms, mayBeSaved: value['mayBeSaved'] === true };
  } catch {
    // Foreign JSON or blocked storage: nothing is kept.
    return null;
  }
}

/** Returns whether the kept values have the form's fields, each of its kind: another version may have stored them. */
export function isLike<V extends object>(kept: unknown, model: V): kept is V {
  if (!isRecord(kept)) return false;
  const names = Object.keys(model);
  return (
    names.length === Object.keys(kept).length &&
    Object.entries(model).every(
      ([name, value]) =>
        typeof kept[name] === typeof value && Array.isArray(kept[name]) === Array.isArray(value),
    )
  );
}
