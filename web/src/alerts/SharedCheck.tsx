import { Suspense, useState } from 'react';
import { Link } from 'wouter';
import { saveFile } from '../download.ts';
import { messageOf } from '../errors.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { Button } from '../ui/Button.tsx';
import { Card } from '../ui/Card.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { ErrorState, Skeleton } from '../ui/States.tsx';

// Load the checker on demand: it is larger than the page around it.
const Checker = lazyPart(
  () => import('../verify/Checker.tsx'),
  (module) => module.Checker,
);

interface Loaded {
  file: File;
  text: string;
  /** Whether a later read may give more: the transaction is not in a block yet. */
  isPart: boolean;
}

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
  const [loaded, setLoaded] = useState<Loaded | null>(null);
  const [error, setError] = useState<unknown>(null);
  const [busy, setBusy] = useState(false);
  const load = async (): Promise<void> => {
    setBusy(true);
    setError(null);
    try {
      const proof = await api().getSharedProof(alertId);
      const text = JSON.stringify(proof, null, 2);
      const file = new File([text], `proof_${alertId}.json`, { type: 'application/json' });
      // The same proof leaves the verdict on it.
      if (text !== loaded?.text) setLoaded({ file, text, isPart: proof.block === null });
    } catch (cause) {
      setError(cause);
    }
    setBusy(false);
  };
  if (!isShared && loaded === null && error === null && !busy) return null;
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
            tone={loaded === null ? 'primary' : 'plain'}
            icon={loaded === null ? 'shield' : 'download'}
            busy={busy}
            onClick={() => (loaded === null ? void load() : saveFile(loaded.file.name, loaded.file))}
          >
            {loaded === null ? 'Get the proof and check it' : 'Save the proof'}
          </Button>
          {loaded !== null && (
            <Button icon="reset" busy={busy} onClick={() => void load()}>
              Get the proof anew
            </Button>
          )}
        </div>
        {loaded !== null && (
          <p className="muted" role="status">
            {loaded.isPart && 'The proof is not complete yet: get it anew when its entry is in a block.'}
          </p>
        )}
        {error !== null && (
          <ErrorState
            title="The proof could not be read"
            message={messageOf(error)}
            onRetry={() => void load()}
          />
        )}
      </Card>
      {loaded !== null && (
        <Suspense fallback={<Skeleton lines={6} label="Loading the checker" />}>
          <Checker proof={loaded.file} />
        </Suspense>
      )}
    </>
  );
}
