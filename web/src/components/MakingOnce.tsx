import { useState, type ReactNode } from 'react';
import { Link } from 'wouter';
import type { NoticeText } from '../state/notices.ts';
import { PageHeader } from '../ui/PageHeader.tsx';
import { MakingFailure } from './MakingFailure.tsx';
import { useShownOnce, type OnceWords } from './use-shown-once.tsx';

interface MakingOnceProps<T, R> {
  /** The page with the list. */
  over: { readonly path: string; readonly title: string };
  titles: { readonly making: string; readonly made: string };
  words: OnceWords;
  make: (body: T) => Promise<R>;
  form: (busy: boolean, onSubmit: (body: T) => void) => ReactNode;
  made: (made: R) => ReactNode;
}

/**
 * Shows a form, then what was made, with its token or secret. Only this component stores that: leaving or reloading the
 * page loses it.
 */
export function MakingOnce<T, R>({ over, titles, words, make, form, made }: MakingOnceProps<T, R>) {
  const [shown, setShown] = useState<{ made: R } | null>(null);
  const [failure, setFailure] = useState<NoticeText | null>(null);
  const { busy, quit, run } = useShownOnce(words, over);
  const submit = (body: T): void => {
    setFailure(null);
    void run(
      () => make(body),
      (one) => setShown({ made: one }),
      setFailure,
    );
  };
  return (
    <div className="narrow">
      <PageHeader
        title={shown === null ? titles.making : titles.made}
        over={<Link href={over.path}>{over.title}</Link>}
      />
      {shown === null ? form(busy, submit) : made(shown.made)}
      {failure !== null && <MakingFailure {...failure} />}
      {quit}
    </div>
  );
}
