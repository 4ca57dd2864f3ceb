import {
  blockLines,
  endOf,
  endWords,
  entryLine,
  outcomeWords,
  PROOF_CONFLICTS,
  type CheckEnd,
  type Finding,
} from '@sentinel-node/contracts';
import { entryWord } from '../format.ts';
import { Badge, type Tone } from '../ui/Badge.tsx';
import { Button } from '../ui/Button.tsx';
import { DescriptionList } from '../ui/DescriptionList.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';
import { saveFile } from '../download.ts';
import { FIELD_NAMES } from './inputs.ts';
import type { CheckReport, NamedCheck } from './run-check.ts';
import { NEXT_STEPS, toneOf } from './verdict-words.ts';

const TONE_ICONS = { success: 'checkCircle', warning: 'alert', danger: 'broken' } as const;

/** Shows the findings of the check, for all proofs together and for each. */
export function VerdictView({ report }: { report: CheckReport }) {
  const { checked, conclusion, exitCode, printed, trust } = report;
  const [only] = checked;
  const words =
    checked.length === 1 && only !== undefined
      ? outcomeWords(only, FIELD_NAMES)
      : endWords(conclusion.end, FIELD_NAMES);
  return (
    <>
      <VerdictHead end={conclusion.end} title={words.title} text={words.text} />
      <DescriptionList
        items={[
          ['Trusted log', <span className="mono break">{trust.origin}</span>],
          ['Its public key', <span className="mono break">{trust.publicKey}</span>],
          ['Network', trust.network],
          ['Same as', `exit code ${exitCode} of sentinel verify`],
        ]}
      />
      {checked.map((one, at) => (
        <ProofFound
          key={`${at} ${one.name}`}
          check={one}
          isOnly={checked.length === 1}
          isGreen={exitCode === 0}
        />
      ))}
      {conclusion.pairs.length > 0 && <Pairs report={report} />}
      <details className="disclosure">
        <summary>As text, as sentinel verify prints it</summary>
        <pre className="json" tabIndex={0} aria-label="Result as text">
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

function VerdictHead({ end, title, text }: { end: CheckEnd; title: string; text: string }) {
  const tone = toneOf(end);
  return (
    <div className={`verdict tone-${tone}`} data-end={end} data-tone={tone}>
      <Icon name={TONE_ICONS[tone]} size={28} />
      <div>
        <h2>{title}</h2>
        <p>{sentence(text)}</p>
        <p className="verdict-next">{NEXT_STEPS[end]}</p>
      </div>
    </div>
  );
}

const sentence = (text: string): string => `${text.charAt(0).toUpperCase()}${text.slice(1)}.`;

interface ProofFoundProps {
  check: NamedCheck;
  isOnly: boolean;
  /** When false, nothing is green: the valid parts of a failing proof must not look like a success. */
  isGreen: boolean;
}

function ProofFound({ check, isOnly, isGreen }: ProofFoundProps) {
  const { file, name, verdict } = check;
  const { title, text } = outcomeWords(check, FIELD_NAMES);
  const tone = toneOf(endOf(check));
  const ofFile = file === undefined ? [] : [{ code: 'FILE', text: file.text }];
  const kind = verdict.proof?.entry.kind;
  return (
    <section className="proof-found" aria-label={`Findings of ${name}`}>
      <h3 className="break">{name}</h3>
      {!isOnly && (
        <p>
          <Badge tone={tone === 'success' && !isGreen ? 'neutral' : tone}>{title}</Badge> {sentence(text)}
        </p>
      )}
      {kind !== undefined && (
        <p className="break">
          <strong>{entryWord[kind]}.</strong> <span className="muted">{entryLine(verdict).join('')}</span>
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
    </section>
  );
}

interface FindingsProps {
  title: string;
  tone: Tone;
  icon?: IconName;
  findings: readonly Finding<string>[];
}

function Findings({ title, tone, icon = 'alert', findings }: FindingsProps) {
  if (findings.length === 0) return null;
  return (
    <div className={`findings tone-${tone}`}>
      <h4>{title}</h4>
      <ul aria-label={title}>
        {findings.map(({ code, text }) => (
          <li key={code} data-code={code}>
            <Icon name={icon} size={16} />
            <span>
              {text} <code>{code}</code>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}

function Pairs({ report: { checked, conclusion } }: { report: CheckReport }) {
  const nameAt = (at: number): string => `${at + 1}. ${checked[at]?.name ?? ''}`;
  return (
    <section className="proof-found" aria-label="Proofs against each other">
      <h3>Held against each other</h3>
      {conclusion.pairs.map(({ conflicts, first, second }) => (
        <div key={`${first} ${second}`}>
          <p className="break">
            {nameAt(first)} and {nameAt(second)}:{' '}
            {conflicts.length === 0 && 'they do not contradict each other.'}
          </p>
          <Findings
            title="Conflicts"
            tone="danger"
            findings={conflicts.map((code) => ({ code, text: PROOF_CONFLICTS[code] }))}
          />
        </div>
      ))}
    </section>
  );
}
