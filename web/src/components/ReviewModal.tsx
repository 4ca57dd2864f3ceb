import { LIMITS, type Maintenance } from '@sentinel-node/contracts';
import { useState } from 'react';
import { messageOf } from '../errors.ts';
import { plural } from '../format.ts';
import { api } from '../state/api.ts';
import { useKeptText } from '../state/use-kept.ts';
import { Checkbox } from '../ui/Checkbox.tsx';
import { TextArea } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { ModalFoot } from '../ui/ModalFoot.tsx';
import { Notice } from '../ui/Notice.tsx';
import { noFilter } from './alerts-list.ts';
import { handleAll, readMatching, type Chosen, type Outcome } from './triage.ts';

interface ReviewModalProps {
  orgId: string;
  window: Maintenance;
  /** Number of alerts that are still active. */
  active: number;
  onClose: () => void;
  onDone: () => void;
}

const handledOf = (outcomes: readonly Outcome[]): number =>
  outcomes.filter(({ isHandled }) => isHandled).length;

/**
 * Dismisses the active alerts of a window; calls `onProgress` with their number so far.
 * @returns why some failed; null when all are dismissed
 */
async function dismissAll(
  orgId: string,
  windowId: string,
  note: string,
  onProgress: (dismissed: number) => void,
): Promise<string | null> {
  let dismissed = 0;
  const filter = { ...noFilter, window: windowId };
  for (;;) {
    const chosen: Chosen[] = [];
    await readMatching(orgId, filter, (page) => chosen.push(...page));
    if (chosen.length === 0) return null;
    let outcomes: readonly Outcome[] = [];
    const task = { status: 'RESOLVED', note } as const;
    await handleAll(
      orgId,
      chosen,
      task,
      (now) => {
        outcomes = now;
        onProgress(dismissed + handledOf(now));
      },
      () => false,
    );
    dismissed += handledOf(outcomes);
    const failed = outcomes.filter(({ isHandled }) => !isHandled);
    if (failed.length > 0)
      return `${plural(failed.length, 'alert')} could not be dismissed. ${failed[0]?.failure ?? ''}`;
  }
}

/** Asks for one note for the window and all alerts dismissed with it. */
export function ReviewModal({ orgId, window, active, onClose, onDone }: ReviewModalProps) {
  const [note, setNote] = useKeptText('review');
  const [isTouched, setTouched] = useState(false);
  const [dismisses, setDismisses] = useState(active > 0);
  const [busy, setBusy] = useState(false);
  const [dismissed, setDismissed] = useState<number | null>(null);
  const [failure, setFailure] = useState<string | null>(null);
  const isEmpty = note.trim() === '';
  const submit = async (): Promise<void> => {
    setBusy(true);
    setFailure(null);
    try {
      const problem = dismisses ? await dismissAll(orgId, window.id, note, setDismissed) : null;
      if (problem === null) {
        await api().reviewMaintenance(orgId, window.id, note);
        return onDone();
      }
      setFailure(problem);
    } catch (error) {
      setFailure(messageOf(error));
    }
    setBusy(false);
  };
  return (
    <Modal title={`Review of ${window.reason}`} onClose={onClose}>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setTouched(true);
          if (!isEmpty) void submit();
        }}
      >
        {failure !== null && (
          <Notice tone="danger" title="The window is not reviewed.">
            {failure}
          </Notice>
        )}
        <TextArea
          label="Note"
          rows={4}
          autoFocus
          maxLength={LIMITS.noteCharacters}
          value={note}
          error={isTouched && isEmpty ? 'Note required' : undefined}
          onChange={(event) => setNote(event.target.value)}
        />
        {active > 0 && (
          <Checkbox
            label={`Dismiss its ${plural(active, 'active alert')} with this note`}
            hint="What is left active asks for attention again."
            checked={dismisses}
            onChange={setDismisses}
          />
        )}
        {dismissed !== null && <Dismissed count={dismissed} of={Math.max(dismissed, active)} />}
        <ModalFoot busy={busy}>Submit</ModalFoot>
      </form>
    </Modal>
  );
}

function Dismissed({ count, of }: { count: number; of: number }) {
  return (
    <div className="stack stack-tight">
      <progress className="progress" aria-label="Progress" value={count} max={of} />
      <p role="status" className="muted">
        {count.toLocaleString('en-US')} of {plural(of, 'alert')} dismissed
      </p>
    </div>
  );
}
