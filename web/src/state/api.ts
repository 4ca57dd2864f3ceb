import { getDefaultStore } from 'jotai';
import { createClient, type Client } from '../api/client.ts';
import { createHttp, type Answer } from '../api/http.ts';
import { hearServerTime } from './clock.ts';
import { configAtom } from './config.ts';
import { dropGuard } from './guard.ts';
import { formPlace, keepForms, noteNotSaved } from './kept-forms.ts';
import { currentToken, signOut } from './session.ts';
import { mayBeSaved, noteSent } from './unanswered.ts';
import { hearViewsOf } from './views-age.ts';

let client: Client | null = null;
let clientBase: string | null = null;

export const apiBase = (): string => getDefaultStore().get(configAtom)?.apiBase ?? '/api/v1';

/** Returns this page's only client. A 401 for the current token ends the session; a 401 for an older token does not. */
export function api(): Client {
  const base = apiBase();
  if (client === null || clientBase !== base) {
    clientBase = base;
    client = createClient(
      createHttp({
        base,
        token: currentToken,
        heard: hear,
        unauthorized: endSession,
        changing: noteChange,
      }),
    );
  }
  return client;
}

/** Takes what each answer says beside its body. */
function hear(headers: Headers): void {
  hearServerTime(headers.get('date'));
  hearViewsOf(headers);
}

/** Notes a change that is sent from this page: a form that is kept before its answer may be saved. */
function noteChange(): (answer: Answer) => void {
  const place = formPlace();
  const answered = noteSent(place);
  return (answer) => {
    answered(answer);
    if (answer === 'refused' && !mayBeSaved(place)) noteNotSaved(place);
  };
}

/** Ends the session that the server has ended; unsaved input is kept until the person has signed in again. */
export function endSession(token: string): void {
  if (currentToken() !== token) return;
  keepForms();
  dropGuard();
  signOut({ ended: true });
}
