/** Changes that were sent and have no answer, by the address of the console that they were sent from. */
import type { Answer } from '../api/http.ts';

/** @boundedBy the calls of this page that have no answer, and the addresses that they were sent from */
const unanswered = new Map<string, Map<symbol, 'waiting' | 'lost'>>();

/** Returns whether something that was sent from an address may be saved, although nobody knows. */
export const mayBeSaved = (place: string): boolean => (unanswered.get(place)?.size ?? 0) > 0;

/** Notes a change that is sent. The returned function takes its answer. A lost one counts until a later change is made. */
export function noteSent(place: string): (answer: Answer) => void {
  const calls = unanswered.get(place) ?? new Map<symbol, 'waiting' | 'lost'>();
  const call = Symbol(place);
  unanswered.set(place, calls.set(call, 'waiting'));
  return (answer) => {
    if (answer === 'unknown') return void calls.set(call, 'lost');
    calls.delete(call);
    if (answer === 'refused') return;
    for (const [other, state] of calls) if (state === 'lost') calls.delete(other);
  };
}
