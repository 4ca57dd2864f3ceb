import {
  rangeLines,
  tipLines,
  entriesText,
  type BundleFinding,
  type CheckedBundle,
  type Finding,
} from '@sentinel-node/contracts';
import { Findings } from './Findings.tsx';
import { sentence } from './verdict-words.ts';

/** Shows the findings of a bundle; each names its entries. */
export function BundleFound({ isGreen, checked }: { checked: CheckedBundle; isGreen: boolean }) {
  const { file, headers, verdict } = checked;
  const ofFile = file === undefined ? [] : [{ code: 'FILE', text: file.text }];
  const named = (findings: readonly BundleFinding<string>[]): Finding<string>[] =>
    findings.map(({ code, numbers, text }) => ({
      code,
      text: `${text}${entriesText(numbers, verdict.entries.length)}`,
    }));
  const tips = headers === undefined ? [] : tipLines(headers);
  return (
    <>
      {rangeLines(verdict).map((line) => (
        <p key={line} className="break">
          {sentence(line.trim())}
        </p>
      ))}
      {tips.map((line) => (
        <p key={line} className="muted">
          {sentence(line)}
        </p>
      ))}
      <Findings
        title="Fails"
        tone="danger"
        icon="close"
        findings={[...named(verdict.fails), ...(file?.isSame === false ? ofFile : [])]}
      />
      <Findings title="Warnings" tone="warning" findings={named(verdict.warnings)} />
      <Findings
        title="Holds"
        tone={isGreen ? 'success' : 'neutral'}
        icon="check"
        findings={[...named(verdict.holds), ...(file?.isSame === true ? ofFile : [])]}
      />
      <Findings
        title="Only claimed, not shown"
        tone="neutral"
        icon="minus"
        findings={named(verdict.claimed)}
      />
    </>
  );
}
