import { lazy, Suspense, useState } from 'react';
import { Link } from 'wouter';
import { saveFile } from '../download.ts';
import { messageOf } from '../errors.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { Button } from '../ui/Button.tsx';
import { Card } from '../ui/Card.tsx';
import { PartMissing } from '../ui/PartMissing.tsx';
import { ErrorState, Skeleton } from '../ui/States.tsx';

// Load the checker on demand: it is larger than the page around it.
const Checker = lazy(() =>
  import('../verify/Checker.tsx').then(
    (module) => ({ default: module.Checker }),
    () => ({ default: PartMissing }),
  ),
);

type State = { proof: File } | { error: unknown } | 'loading' | null;

interface SharedCheckProps {
  alertId: string;
  /** Whether the alert can be read now. */
  isShared: boolean;
}

/**
 * Offers a visitor the alert's proof and a check of it in this browser. What the visitor has begun stays when the alert can no
 * longer be read: the browser has the proof, and a check needs no server.
 */
export function SharedCheck({ alertId, isShared }: SharedCheckProps) {
  const [state, setState] = useState<State>(null);
  const load = async (): Promise<void> => {
    setState('loading');
    try {
      const proof = await api().getSharedProof(alertId);
      const text = JSON.stringify(proof, null, 2);
      setState({ proof: new File([text], `proof_${alertId}.json`, { type: 'application/json' }) });
    } catch (error) {
      setState({ error });
    }
  };
  if (!isShared && state === null) return null;
  const isLoaded = state !== null && state !== 'loading' && 'proof' in state;
  return (
    <>
      <Card title="Check this yourself">
        <p>
          You need not believe this page. The entry of this alert has a proof: what was recorded, and that the
          record is anchored in a public ledger, where nobody can rewrite it. Your browser can check the proof
          here.
        </p>
        <p className="muted">
          For that you need the trust file of the log, from its operator, by another way than this link. A
          check that counts is made with the{' '}
          <Link href={paths.verify} className="inline-link">
            saved page
          </Link>{' '}
          or the command sentinel verify: this server could give you a page that lies.
        </p>
        <div className="row">
          {/* One button for both actions, so that it keeps the focus. */}
          <Button
            tone={isLoaded ? 'plain' : 'primary'}
            icon={isLoaded ? 'download' : 'shield'}
            busy={state === 'loading'}
            onClick={() => (isLoaded ? saveFile(state.proof.name, state.proof) : void load())}
          >
            {isLoaded ? 'Save the proof' : 'Get the proof and check it'}
          </Button>
        </div>
        {state !== null && state !== 'loading' && 'error' in state && (
          <ErrorState
            title="The proof could not be read"
            message={messageOf(state.error)}
            onRetry={() => void load()}
          />
        )}
      </Card>
      {isLoaded && (
        <Suspense fallback={<Skeleton lines={6} label="Loading the checker" />}>
          <Checker proof={state.proof} />
        </Suspense>
      )}
    </>
  );
}
