/**
 * Tells people the outcome of calls whose answer has a token or a secret that is shown once. Without this, a valid
 * token that nobody has would stay unnoticed. When the session has ended meanwhile, or the page was left, the person is
 * told at the next login in this tab. Stores words only, never the secret.
 */
import { getDefaultStore } from 'jotai';
import { isRecord } from '../narrow.ts';
import { navigate } from './guard.ts';
import { notify, type NoticeText } from './notices.ts';
import { signedInEmail, userAtom } from './session.ts';

/** Text for the person, and the page where the new token or secret is listed. */
export interface Outcome {
  title: string;
  text: string;
  place: { path: string; title: string };
}

interface Untold extends Outcome {
  email: string;
}

export interface Waiting {
  /** Ends the wait for an answer that the person has seen. */
  end: () => void;
  /** Tells the person, also one who has left the page. @param later text for their next login; null for none */
  tell: (notice: NoticeText, later: Outcome | null) => void;
}

/** Session storage belongs to the tab: a person who signs in in another tab is told nothing. */
const STORED_UNTOLD = 'sentinel.untold';
/** Most outcomes that are stored; older ones go first. */
const UNTOLD_MAX = 20;

/** Ids of outcomes whose calls this page still waits for. @boundedBy the calls that have no answer yet */
const waiting = new Set<string>();

export const noticeOf = ({ title, text, place }: Outcome): NoticeText => ({
  tone: 'danger',
  title,
  text,
  action: { label: place.title, run: () => navigate(place.path) },
});

/** Stores that the outcome of a call is unknown until its answer comes: the person may leave the page before. */
export function awaitAnswer(unknown: Outcome): Waiting {
  const person = signedInEmail();
  const id = newId();
  waiting.add(id);
  put(id, person, unknown);
  const end = (): void => {
    waiting.delete(id);
    put(id, person, null);
  };
  return {
    end,
    tell: (notice, later) => {
      end();
      // Another person may have signed in meanwhile.
      if (person !== null && signedInEmail() === person) notify(notice);
      else put(id, person, later);
    },
  };
}

/** Tells each person who signs in what they have not heard yet. */
export function followUntold(): void {
  const store = getDefaultStore();
  store.sub(userAtom, tellUntold);
  tellUntold();
}

function tellUntold(): void {
  const person = signedInEmail();
  if (person === null) return;
  for (const [id, outcome] of Object.entries(stored())) {
    if (outcome.email !== person || waiting.has(id)) continue;
    put(id, person, null);
    notify(noticeOf(outcome));
  }
}

const ID_BYTES = 8;
const newId = (): string => crypto.getRandomValues(new Uint8Array(ID_BYTES)).join('.');

function put(id: string, person: string | null, outcome: Outcome | null): void {
  if (person === null) return;
  const { [id]: _before, ...others } = stored();
  const all = Object.entries(others).slice(-(UNTOLD_MAX - 1));
  const untold = Object.fromEntries(outcome === null ? all : [...all, [id, { ...outcome, email: person }]]);
  try {
    if (Object.keys(untold).length === 0) sessionStorage.removeItem(STORED_UNTOLD);
    else sessionStorage.setItem(STORED_UNTOLD, JSON.stringify(untold));
  } catch {
    // Storage is blocked or full: it is told on this page only.
  }
}

function stored(): Record<string, Untold> {
  try {
    const value: unknown = JSON.parse(sessionStorage.getItem(STORED_UNTOLD) ?? '{}');
    if (!isRecord(value)) return {};
    return Object.fromEntries(
      Object.entries(value).flatMap(([id, one]) => (isUntold(one) ? [[id, one] as const] : [])),
    );
  } catch {
    // Foreign JSON or blocked storage: nothing is stored.
    return {};
  }
}

const isUntold = (value: unknown): value is Untold =>
  isRecord(value) &&
  isRecord(value['place']) &&
  [value['email'], value['title'], value['text'], value['place']['path'], value['place']['title']].every(
    (text) => typeof text === 'string',
  );
