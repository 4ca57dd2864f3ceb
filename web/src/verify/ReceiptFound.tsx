import { otherAcceptance, visible, type CheckedReceipt, type ReceiptOutcome } from '@sentinel-node/contracts';
import { DescriptionList, type Description } from '../ui/DescriptionList.tsx';
import type { ReceiptReport } from './run-check.ts';
import { RECEIPT_NEXT_STEPS, type VerdictTone } from './verdict-words.ts';
import { VerdictHead } from './VerdictHead.tsx';

const HOLDS_TEXT = 'the log signed that it accepted this report, and what was given beside the receipt fits';

const TONES: Readonly<Record<ReceiptOutcome, VerdictTone>> = {
  HOLDS: 'success',
  FAILS: 'danger',
  'NOT SHOWN': 'warning',
  'BROKEN PROMISE': 'danger',
};

export function ReceiptHead({ checked: { outcome, why } }: { checked: CheckedReceipt }) {
  return (
    <VerdictHead
      end={outcome}
      tone={TONES[outcome]}
      title={outcome}
      text={why ?? HOLDS_TEXT}
      next={RECEIPT_NEXT_STEPS[outcome]}
    />
  );
}

/** Shows the content of a checked receipt and its findings. */
export function ReceiptFound({ report: { checked, name } }: { report: ReceiptReport }) {
  return (
    <section className="proof-found" aria-label={visible(`Findings of ${name}`)}>
      <h3 className="break">{visible(name)}</h3>
      <DescriptionList
        items={[
          ['File', <span className="mono break">{checked.fileId}</span>],
          ['SHA-256 of the report', <span className="mono break">{checked.reportHash}</span>],
          ['Accepted', checked.acceptedAt],
          ...entryOf(checked),
        ]}
      />
    </section>
  );
}

function entryOf({ entryAcceptedAt }: CheckedReceipt): Description[] {
  return entryAcceptedAt === null ? [] : [['Entry', otherAcceptance(entryAcceptedAt)]];
}
