/** Entry point of the single-file page, opened from a disk without router, session or server. */
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import '../styles/tokens.css';
import '../styles/base.css';
import '../styles/controls.css';
import '../styles/tables.css';
import '../styles/shell.css';
import '../styles/chain.css';
import '../styles/pages.css';
import '../styles/print.css';
import { BrandMark } from '../ui/BrandMark.tsx';
import { Card } from '../ui/Card.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';
import { AboutPage } from './AboutPage.tsx';
import { Checker } from './Checker.tsx';

function OfflinePage() {
  return (
    <>
      <header className="header">
        <div className="header-inner">
          <span className="brand">
            <BrandMark />
            <span>Sentinel Node</span>
          </span>
        </div>
      </header>
      <main className="page">
        <PageHeader
          title="Check a proof"
          text="The saved page: it checks without a network, as the command sentinel verify does. No file leaves this browser."
        />
        <Checker />
        <Card title="Can you trust this page?">
          <AboutPage saved />
        </Card>
      </main>
    </>
  );
}

const root = document.getElementById('root');
if (root === null) throw new Error('verify.html has no #root');
createRoot(root).render(
  <StrictMode>
    <OfflinePage />
  </StrictMode>,
);
