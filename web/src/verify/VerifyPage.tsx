import { Card } from '../ui/Card.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';
import { Checker } from './Checker.tsx';
import { AboutPage } from './AboutPage.tsx';
import { SavePage } from './SavePage.tsx';

/** Public page that checks proofs without an account or an installation. */
export function VerifyPage() {
  return (
    <>
      <PageHeader
        title="Check a proof"
        text="Was this file watched, and is its record anchored where nobody can rewrite it? This page checks that in your browser, as the command sentinel verify does. No file leaves this browser."
      />
      <Checker />
      <div className="checker-cards">
        <Card title="Can you trust this page?">
          <AboutPage />
        </Card>
        <Card title="Save this page and check offline">
          <SavePage />
        </Card>
      </div>
    </>
  );
}
