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

/** Most addresses of which something is kept; the oldest go first. */
const PLACES_MAX = 20;

/** Values that are not stored: kept until the page is left. @boundedBy PLACES_MAX */
let unstored: readonly Kept[] = [];

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
export const hasKeptForms = (): boolean => inStorage().length > 0;

/** Returns the kept values of this person's form at this address; null without any. */
export function keptForm(name: string): unknown {
  return held()?.forms[name] ?? null;
}

/** Returns whether the server may have saved this person's kept values at this address already. */
export const mayKeptBeSaved = (): boolean => held()?.mayBeSaved === true;

/** Notes that the server saved nothing that was sent from an address. */
export function noteNotSaved(place: string): void {
  const kept = all();
  if (!kept.some((one) => one.place === place && one.mayBeSaved)) return;
  write(kept.map((one) => (one.place === place ? { ...one, mayBeSaved: false } : one)));
}

export function dropForm(name: string): void {
  const kept = held();
  if (kept === null || !(name in kept.forms)) return;
  const { [name]: _dropped, ...forms } = kept.forms;
  const isLast = Object.keys(forms).length === 0;
  const others = all().filter(({ place }) => place !== kept.place);
  write(isLast ? others : [...others, { ...kept, forms }]);
}

export function dropForms(): void {
  unstored = [];
  try {
    sessionStorage.removeItem(STORED_FORMS);
  } catch {
    // Storage is blocked: there is nothing to remove.
  }
}

/** Keeps values beside those of other addresses of this person; what another person kept in this tab goes. */
function store(forms: Record<string, unknown>, place = formPlace()): void {
  const email = signedInEmail();
  if (email === null) return;
  const others = all().filter((kept) => kept.email === email && kept.place !== place);
  write([...others, { email, place, forms, mayBeSaved: mayBeSaved(place) }]);
}

/** Stores the newest that fit; what does not fit stays until the page is left. */
function write(kept: readonly Kept[]): void {
  dropForms();
  let characters = '[]'.length;
  const [stored, left]: [Kept[], Kept[]] = [[], []];
  for (const one of kept.slice(-PLACES_MAX).toReversed()) {
    const length = JSON.stringify(one).length + ','.length;
    const fits = characters + length <= STORED_CHARACTERS_MAX;
    if (fits) characters += length;
    (fits ? stored : left).unshift(one);
  }
  unstored = isStored(stored) ? left : kept.slice(-PLACES_MAX);
}

/** Stores the values. Returns false when the storage is blocked or full. */
function isStored(kept: readonly Kept[]): boolean {
  if (kept.length === 0) return true;
  try {
    sessionStorage.setItem(STORED_FORMS, JSON.stringify(kept));
    return true;
  } catch {
    return false;
  }
}

/** Returns the values that are kept for this person at an address. */
function held(place = formPlace()): Kept | null {
  const email = signedInEmail();
  return all().find((kept) => kept.place === place && kept.email === email) ?? null;
}

const all = (): readonly Kept[] => [...inStorage(), ...unstored];

function inStorage(): readonly Kept[] {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(STORED_FORMS) ?? 'null');
    return Array.isArray(value) ? value.flatMap((one: unknown) => keptOf(one) ?? []) : [];
  } catch {
    // Foreign JSON or blocked storage: nothing is kept.
    return [];
  }
}

function keptOf(value: unknown): Kept | null {
  if (!isRecord(value)) return null;
  const { email, place, forms } = value;
  if (typeof email !== 'string' || typeof place !== 'string' || !isRecord(forms)) return null;
  return { email, place, forms, mayBeSaved: value['mayBeSaved'] === true };
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
