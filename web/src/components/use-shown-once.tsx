import { useState, type ReactNode } from 'react';
import { mayBeDone } from '../api/errors.ts';
import { messageOf } from '../errors.ts';
import { navigate, tellElsewhere } from '../state/guard.ts';
import type { NoticeText } from '../state/notices.ts';
import { useIsShown } from '../state/use-is-shown.ts';
import { useLeaveGuard } from './use-leave-guard.tsx';

/** Words about a token or a secret, which only the answer to its making has. */
export interface OnceWords {
  /** Question to a person who leaves before the answer. */
  leave: string;
  /** Title when it was not made. */
  refused: string;
  /** What is said when it is not known whether it was made. */
  unknown: { title: string; text: string };
  /** What is said when it was made, and the person had left. */
  unseen: { title: string; text: string };
}

interface ShownOnce {
  busy: boolean;
  /** The question before leaving, to render. */
  quit: ReactNode;
  /** Makes it, and calls `show` or `fail` while the person is there; else a notice says what came of it. */
  run: <R>(
    make: () => Promise<R>,
    show: (made: R) => void,
    fail: (notice: NoticeText) => void,
  ) => Promise<void>;
}

/** @param place the page where what nobody saw is found */
export function useShownOnce(words: OnceWords, place: { path: string; title: string }): ShownOnce {
  const isShown = useIsShown();
  const [busy, setBusy] = useState(false);
  const quit = useLeaveGuard(busy, words.leave, 'It is shown only once, on this page.');
  const action = { label: place.title, run: () => navigate(place.path) };
  const failureOf = (error: unknown): NoticeText => {
    if (!mayBeDone(error)) return { tone: 'danger', title: words.refused, text: messageOf(error) };
    return { tone: 'danger', ...words.unknown, reason: messageOf(error), action };
  };
  const run: ShownOnce['run'] = async (make, show, fail) => {
    setBusy(true);
    try {
      const made = await make();
      if (!isShown()) return tellElsewhere({ tone: 'danger', ...words.unseen, action });
      show(made);
    } catch (error) {
      if (!isShown()) return tellElsewhere(failureOf(error));
      fail(failureOf(error));
    }
    setBusy(false);
  };
  return { busy, quit, run };
}
