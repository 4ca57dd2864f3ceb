import { useEffect, useRef, useState, type ReactNode } from 'react';
import { mayBeDone } from '../api/errors.ts';
import { messageOf } from '../errors.ts';
import type { NoticeText } from '../state/notices.ts';
import { awaitAnswer, noticeOf, type Waiting } from '../state/untold.ts';
import { useIsShown } from '../state/use-is-shown.ts';
import { useLeaveGuard } from './use-leave-guard.tsx';

/** Words about what a call makes that may be made although its answer was lost or late. */
export interface MadeWords {
  /** Title when it was not made. */
  refused: string;
  /** The notice when it is not known whether it was made. */
  unknown: { title: string; text: string };
  /** The notice when it was made, and the person had left. */
  unseen: { title: string; text: string };
}

/** Words about a token or a secret, which only the answer to its making has. */
export interface OnceWords extends MadeWords {
  /** Question to a person who leaves before the answer. */
  leave: string;
}

/** The page where what nobody saw is found. */
export interface MadePlace {
  path: string;
  title: string;
}

interface Making {
  busy: boolean;
  /** Makes it, and calls `show` or `fail` while the person is there; else a notice says what came of it. */
  run: <R>(
    make: () => Promise<R>,
    show: (made: R) => void,
    fail: (notice: NoticeText) => void,
  ) => Promise<void>;
}

interface ShownOnce extends Making {
  /** The question before leaving, to render. */
  quit: ReactNode;
}

/** Makes what the person has to hear of, also when they have left, or their session has ended. */
export function useMaking(words: MadeWords, place: MadePlace): Making {
  const isShown = useIsShown();
  const [busy, setBusy] = useState(false);
  const unknown = { ...words.unknown, place };
  // A call is also lost as the page is left, which nobody sees here: its record then stays for the next page.
  const lost = useRef<Waiting | null>(null);
  useEffect(() => () => lost.current?.end(), []);
  const run: Making['run'] = async (make, show, fail) => {
    setBusy(true);
    lost.current?.end();
    const answer = awaitAnswer(unknown);
    try {
      const made = await make();
      const unseen = { ...words.unseen, place };
      if (!isShown()) return answer.tell(noticeOf(unseen), unseen);
      answer.end();
      show(made);
    } catch (error) {
      const isUnknown = mayBeDone(error);
      const failure: NoticeText = isUnknown
        ? { ...noticeOf(unknown), reason: messageOf(error) }
        : { tone: 'danger', title: words.refused, text: messageOf(error) };
      if (!isShown()) return answer.tell(failure, isUnknown ? unknown : null);
      if (isUnknown) lost.current = answer;
      else answer.end();
      fail(failure);
    }
    setBusy(false);
  };
  return { busy, run };
}

/** Makes a token or a secret that is shown only once, and asks before the person leaves without it. */
export function useShownOnce(words: OnceWords, place: MadePlace): ShownOnce {
  const { busy, run } = useMaking(words, place);
  const quit = useLeaveGuard(busy, words.leave, 'It is shown only once, on this page.');
  return { busy, run, quit };
}
