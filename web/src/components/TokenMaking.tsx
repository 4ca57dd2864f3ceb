import { useState } from 'react';
import { Link } from 'wouter';
import { messageOf } from '../errors.ts';
import { Notice } from '../ui/Notice.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';

interface TokenMakingProps<T> {
  /** The page with all tokens. */
  over: { readonly path: string; readonly title: string };
  make: (body: T) => Promise<{ token: string }>;
  form: (busy: boolean, onSubmit: (body: T) => void) => React.ReactNode;
  made: (token: string) => React.ReactNode;
}

/** Shows a form, then the token. Only this component stores the token: leaving or reloading the page loses it. */
export function TokenMaking<T>({ over, make, form, made }: TokenMakingProps<T>) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const [token, setToken] = useState<string | null>(null);
  const submit = async (body: T): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      setToken((await make(body)).token);
    } catch (error) {
      setFailure(messageOf(error));
    }
    setBusy(false);
  };
  return (
    <div className="narrow">
      <PageHeader
        title={token === null ? 'Making a token' : 'The token is made'}
        over={<Link href={over.path}>{over.title}</Link>}
      />
      {token === null ? form(busy, (body) => void submit(body)) : made(token)}
      {failure !== null && (
        <Notice tone="danger" title="The token was not made.">
          {failure}
        </Notice>
      )}
    </div>
  );
}
