import type { ReactNode } from 'react';
import { MakingOnce } from './MakingOnce.tsx';
import type { OnceWords } from './use-shown-once.tsx';

interface TokenMakingProps<T> {
  /** The page with all tokens. */
  over: { readonly path: string; readonly title: string };
  make: (body: T) => Promise<{ token: string }>;
  form: (busy: boolean, onSubmit: (body: T) => void) => ReactNode;
  made: (token: string) => ReactNode;
}

const words: OnceWords = {
  leave: 'Do you want to leave before the token is shown?',
  refused: 'The token was not made.',
  unknown: {
    title: 'It is not known whether the token was made.',
    text: 'If the list has it, end it: nobody saw it.',
  },
  unseen: { title: 'A token was made and not shown.', text: 'End it, and make another one.' },
};

/** Shows a form, then the token. */
export function TokenMaking<T>({ over, make, form, made }: TokenMakingProps<T>) {
  return (
    <MakingOnce
      {...{ over, words, make, form }}
      titles={{ making: 'Making a token', made: 'The token is made' }}
      made={({ token }) => made(token)}
    />
  );
}
