import { isOneOf } from '../narrow.ts';
/** How old the server's views are: what the page reads comes from them, and nothing in it shows that they are behind. */
import {
  VIEWS_HEADERS,
  ViewsWordSchema,
  type ViewsState,
  isReadable,
  VIEWS_STATES,
} from '@sentinel-node/contracts';
import { atom, getDefaultStore } from 'jotai';
import { serverNow } from './clock.ts';

interface ViewsAge {
  state: ViewsState;
  /** The views have what the log took until then, in ms since 1970 by the server's clock; null: not known. */
  asOf: number | null;
}

/** Age in ms up to which a word that knows less is not taken: the server says a new one every 15 s. */
const KEPT_MS = 60_000;

const viewsAgeAtom = atom<ViewsAge | null>(null);

/** The age of the views while they are not current; null while they are, and from a server that says nothing of it. */
export const viewsBehindAtom = atom((get) => {
  const age = get(viewsAgeAtom);
  return age === null || age.state === 'CURRENT' ? null : age;
});

/**
 * Takes the word of one of the server's processes. All of them tell of the same views, so the word that knows the latest time
 * holds: one that cannot read the log must not speak against one that can, in turns.
 */
export function hearViews(word: unknown): void {
  if (!isReadable(ViewsWordSchema, word)) return;
  const store = getDefaultStore();
  const next: ViewsAge = {
    state: isOneOf(VIEWS_STATES, word.state) ? word.state : 'UNKNOWN',
    asOf: word.asOf === null ? null : Date.parse(word.asOf),
  };
  if (!isOlder(next, store.get(viewsAgeAtom))) store.set(viewsAgeAtom, next);
}

/** Returns whether the held word knows more: `next` is of an answer that took long, or of a process that sees less of the log. */
function isOlder(next: ViewsAge, held: ViewsAge | null): boolean {
  if (held === null || held.asOf === null) return false;
  if (next.asOf !== null && next.asOf > held.asOf) return false;
  const age = serverNow() - held.asOf;
  // The server's clock was set back.
  if (age < -KEPT_MS) return false;
  // Views become current by what they have newly.
  if (next.state === 'CURRENT') return true;
  return age <= KEPT_MS && next.asOf !== held.asOf;
}

/** Takes what the headers of an answer say. */
export const hearViewsOf = (headers: Headers): void =>
  hearViews({ state: headers.get(VIEWS_HEADERS.state), asOf: headers.get(VIEWS_HEADERS.asOf) });
