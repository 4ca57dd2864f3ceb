import { useState } from 'react';

export interface Edited<T> {
  /** The state that the form began with, or that was loaded since. */
  held: T;
  /** `stale` after a refused save: the state has changed meanwhile. `loaded` until the next save. */
  progress: 'idle' | 'busy' | 'stale' | 'loaded';
  setProgress: (progress: 'idle' | 'busy' | 'stale') => void;
  /** Whether a save over the held state had no answer, as far as the form noted that. */
  isLost: boolean;
  setLost: (isLost: boolean) => void;
  /** Takes the new state. */
  load: () => Promise<void>;
}

/**
 * Holds the state that a form changes. What is read again meanwhile does not replace it: the values of the form would be
 * saved over a state not shown.
 * @param readAgain reads the new state
 */
export function useEdited<T>(read: T, readAgain: (held: T) => Promise<T>): Edited<T> {
  const [held, setHeld] = useState(read);
  const [progress, setProgress] = useState<Edited<T>['progress']>('idle');
  const [isLost, setLost] = useState(false);
  const load = async (): Promise<void> => {
    setHeld(await readAgain(held));
    setLost(false);
    setProgress('loaded');
  };
  return { held, progress, setProgress, isLost, setLost, load };
}
