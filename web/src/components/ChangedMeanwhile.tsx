import { useState } from 'react';
import { messageOf } from '../errors.ts';
import { notify } from '../state/notices.ts';
import { MakingFailure } from './MakingFailure.tsx';

interface ChangedMeanwhileProps {
  what: string;
  /** Whether the answer to a try before was lost: that try may be what changed the state. */
  isLost?: boolean;
  /** Reads the new state into the form. */
  load: () => Promise<void>;
  /** Tells that it is loaded, where a notice of the page would be covered. */
  tell?: () => void;
}

export const LOADED = {
  title: 'The new state is loaded.',
  text: 'What you changed stays as you typed it. It is not saved yet.',
} as const;

function tellOnPage(): void {
  document.getElementById('main')?.focus();
  notify({ tone: 'info', ...LOADED });
}

/** Says that a save was refused because of somebody else's change, and offers to read that change into the form. */
export function ChangedMeanwhile({ what, isLost = false, load, tell = tellOnPage }: ChangedMeanwhileProps) {
  const [failure, setFailure] = useState<string | null>(null);
  const run = async (): Promise<void> => {
    try {
      await load();
      tell();
    } catch (error) {
      setFailure(messageOf(error));
    }
  };
  return (
    <MakingFailure
      title={
        isLost
          ? `The ${what} was changed meanwhile, maybe by your try that had no answer.`
          : `The ${what} was changed meanwhile. Nothing is saved.`
      }
      text={
        failure ??
        `${isLost ? 'This try is not saved. ' : ''}What you changed stays as you typed it. Load the new state, look at it, and save again.`
      }
      action={{ label: 'Load the new state', run: () => void run() }}
    />
  );
}
