import { useState } from 'react';
import { Link } from 'wouter';
import { failureNotice, type FailureTitles } from '../errors.ts';
import { leaveForm } from '../state/guard.ts';
import { useFailure } from '../state/use-failure.ts';
import { PageHeader } from '../ui/PageHeader.tsx';
import { MakingFailure } from './MakingFailure.tsx';

interface MakingProps<T> {
  title: string;
  /** The list page that will contain the new object. */
  over: { readonly path: string; readonly title: string };
  failed: FailureTitles;
  /** Title of the notice for a person who has left the form before the answer. */
  made: string;
  /** Creates the object. @param values the form's values */
  make: (values: T) => Promise<unknown>;
  form: (busy: boolean, onSubmit: (values: T) => void) => React.ReactNode;
}

/** Shows a form that creates an object, then goes to the list. */
export function Making<T>({ title, over, failed, made, make, form }: MakingProps<T>) {
  const [busy, setBusy] = useState(false);
  const { failure, fail, clear, isShown } = useFailure();
  const submit = async (values: T): Promise<void> => {
    setBusy(true);
    clear();
    try {
      await make(values);
      leaveForm(isShown(), over.path, null, { tone: 'success', title: made });
    } catch (error) {
      fail(failureNotice(error, failed));
      setBusy(false);
    }
  };
  return (
    <div className="narrow">
      <PageHeader title={title} over={<Link href={over.path}>{over.title}</Link>} />
      {form(busy, (values) => void submit(values))}
      {failure !== null && <MakingFailure {...failure} />}
    </div>
  );
}
