import {
  agreeWords,
  blockLines,
  conflictText,
  documentWords,
  endOf,
  entryLine,
  isCheckedBundle,
  PAIR_WARNINGS,
  togetherWords,
  visible,
  type CheckedProof,
  type EndWords,
} from '@sentinel-node/contracts';
import { entryWord, wordFor } from '../format.ts';
import { Badge } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { DescriptionList } from '../ui/DescriptionList.tsx';
import { saveFile } from '../download.ts';
import { BundleFound } from './BundleFound.tsx';
import { Findings } from './Findings.tsx';
import { FIELD_NAMES } from './inputs.ts';
import { ReceiptFound, ReceiptHead } from './ReceiptFound.tsx';
import type { CheckReport, NamedDocument, ProofsReport } from './run-check.ts';
import { nextStep, sentence, toneOf } from './verdict-words.ts';
import { VerdictHead } from './VerdictHead.tsx';

/** Shows the result of a check. */
export function VerdictView({ report }: { report: CheckReport }) {
  const { exitCode, printed, trust } = report;
  const command = report.kind === 'receipt' ? 'sentinel receipt' : 'sentinel verify';
  return (
    <>
      <Head report={report} />
      <DescriptionList
        items={[
          ['Trusted log', <span className="mono break">{trust.origin}</span>],
          ['Its public key', <span className="mono break">{trust.publicKey}</span>],
          ['Network', trust.network],
          ['Same as', `exit code ${exitCode} of ${command}`],
        ]}
      />
      <Details report={report} />
      <details className="disclosure">
        <summary>As text, as {command} prints it</summary>
        <pre className="json" role="group" tabIndex={0} aria-label="Result as text">
          {printed}
        </pre>
        <Button
          small
          icon="download"
          onClick={() => saveFile('check.txt', new Blob([printed], { type: 'text/plain' }))}
        >
          Save as text
        </Button>
      </details>
    </>
  );
}

function Head({ report }: { report: CheckReport }) {
  if (report.kind === 'receipt') return <ReceiptHead checked={report.checked} />;
  const { checked, conclusion } = report;
  const outcomes = checked.flatMap((one) =>
    isCheckedBundle(one) ? one.verdict.entries.map(({ outcome }) => outcome) : [endOf(one)],
  );
  const next = nextStep(conclusion.end, outcomes, checked.some(isCheckedBundle) ? 'bundle' : 'proof');
  return <VerdictHead end={conclusion.end} tone={toneOf(conclusion.end)} {...wordsOf(report)} next={next} />;
}

function wordsOf({ checked, conclusion }: ProofsReport): EndWords {
  const [only] = checked;
  if (checked.length > 1 || only === undefined) return togetherWords(checked, conclusion, FIELD_NAMES);
  return documentWords(only, FIELD_NAMES);
}

function Details({ report }: { report: CheckReport }) {
  const isGreen = report.exitCode === 0;
  switch (report.kind) {
    case 'receipt':
      return <ReceiptFound report={report} />;
    case 'proofs':
      return (
        <>
          {report.checked.map((one, at) => (
            <Found
              key={`${at} ${one.name}`}
              check={one}
              isOnly={report.checked.length === 1}
              isGreen={isGreen}
            />
          ))}
          {report.conclusion.pairs.length > 0 && <Pairs report={report} />}
        </>
      );
  }
}

interface FoundProps {
  check: NamedDocument;
  isOnly: boolean;
  /** When false, nothing is green: the valid parts of a failing proof must not look like a success. */
  isGreen: boolean;
}

/** Shows the findings of one document; of several, its own end first. */
function Found({ check, isOnly, isGreen }: FoundProps) {
  const { title, text } = documentWords(check, FIELD_NAMES);
  const tone = toneOf(endOf(check));
  return (
    <section className="proof-found" aria-label={visible(`Findings of ${check.name}`)}>
      <h3 className="break">{visible(check.name)}</h3>
      {!isOnly && (
        <p>
          <Badge tone={tone === 'success' && !isGreen ? 'neutral' : tone}>{title}</Badge> {sentence(text)}
        </p>
      )}
      {isCheckedBundle(check) ? (
        <BundleFound checked={check} isGreen={isGreen} />
      ) : (
        <ProofFound check={check} isGreen={isGreen} />
      )}
    </section>
  );
}

function ProofFound({ check, isGreen }: { check: CheckedProof; isGreen: boolean }) {
  const { file, verdict } = check;
  const ofFile = file === undefined ? [] : [{ code: 'FILE', text: file.text }];
  const kind = verdict.proof?.entry.kind;
  return (
    <>
      {kind !== undefined && (
        <p className="break">
          <strong>{wordFor(entryWord, kind)}.</strong>{' '}
          <span className="muted">{entryLine(verdict).join('')}</span>
        </p>
      )}
      {blockLines(check).map((line) => (
        <p key={line} className="muted">
          {sentence(line)}
        </p>
      ))}
      <Findings
        title="Fails"
        tone="danger"
        icon="close"
        findings={[...verdict.fails, ...(file?.isSame === false ? ofFile : [])]}
      />
      <Findings title="Warnings" tone="warning" findings={verdict.warnings} />
      <Findings
        title="Holds"
        tone={isGreen ? 'success' : 'neutral'}
        icon="check"
        findings={[...verdict.holds, ...(file?.isSame === true ? ofFile : [])]}
      />
      <Findings title="Only claimed, not shown" tone="neutral" icon="minus" findings={verdict.claimed} />
    </>
  );
}

function Pairs({ report: { checked, conclusion } }: { report: ProofsReport }) {
  const nameAt = (at: number): string => `${at + 1}. ${checked[at]?.name ?? ''}`;
  return (
    <section className="proof-found" aria-label="Proofs against each other">
      <h3>Held against each other</h3>
      {conclusion.pairs.map(({ conflicts, first, second, warnings }) => (
        <div key={`${first} ${second}`}>
          <p className="break">
            {nameAt(first)} and {nameAt(second)}:{' '}
            {conflicts.length === 0 && `they ${agreeWords({ warnings })}.`}
          </p>
          <Findings
            title="Conflicts"
            tone="danger"
            findings={conflicts.map((one) => ({ code: one.code, text: conflictText(one) }))}
          />
          <Findings
            title="Warnings"
            tone="warning"
            findings={warnings.map((code) => ({ code, text: PAIR_WARNINGS[code] }))}
          />
        </div>
      ))}
    </section>
  );
}
