import { isBlank, LIMITS } from '@sentinel-node/contracts';
import type { Maintenance } from '../answers.ts';
import { useEffect, useState } from 'react';
import { ApiError } from '../api/errors.ts';
import { failureNotice, messageOf } from '../errors.ts';
import { plural } from '../format.ts';
import { api } from '../state/api.ts';
import { tellElsewhere } from '../state/guard.ts';
import { useFailure } from '../state/use-failure.ts';
import { useKeptText } from '../state/use-kept.ts';
import { Checkbox } from '../ui/Checkbox.tsx';
import { TextArea } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { ModalFoot } from '../ui/ModalFoot.tsx';
import { noFilter } from '../alerts/alerts-list.ts';
import { handleAll, isHandled, readMatching, type Chosen, type Outcome } from '../alerts/triage.ts';
import { FailureNotice } from '../components/FailureNotice.tsx';

interface ReviewModalProps {
  orgId: string;
  window: Maintenance;
  /** Number of alerts that are still active; undefined while unknown. */
  active: number | undefined;
  onClose: () => void;
  /** Called after the review, also when the dialog is closed. */
  onReviewed: () => void;
}

/** Number of dismissed alerts, and of those that are known to be dismissed in all. */
interface Progress {
  dismissed: number;
  of: number;
}

const handledOf = (outcomes: readonly Outcome[]): number => outcomes.filter(isHandled).length;

const failures = {
  refused: 'The window is not reviewed.',
  unknown: 'It is not known whether the window is reviewed.',
};
const STOPPED = 'It was stopped. Alerts that are dismissed already stay dismissed.';

interface Dismissal {
  windowId: string;
  note: string;
  /** Aborted when nothing more is to be dismissed. */
  signal: AbortSignal;
  onProgress: (progress: Progress) => void;
}

/**
 * Dismisses the active alerts of a window.
 * @returns why some are left; null when all are dismissed. @throws when the signal is aborted during a read
 */
async function dismissAll(
  orgId: string,
  { windowId, note, signal, onProgress }: Dismissal,
): Promise<string | null> {
  let dismissed = 0;
  const filter = { ...noFilter, window: windowId };
  for (;;) {
    const chosen: Chosen[] = [];
    await readMatching(orgId, filter, (page) => chosen.push(...page), signal);
    if (signal.aborted) return STOPPED;
    if (chosen.length === 0) return null;
    const of = dismissed + chosen.length;
    let outcomes: readonly Outcome[] = [];
    const task = { status: 'RESOLVED', note } as const;
    await handleAll(
      orgId,
      chosen,
      task,
      (now) => {
        outcomes = now;
        onProgress({ dismissed: dismissed + handledOf(now), of });
      },
      () => signal.aborted,
    );
    dismissed += handledOf(outcomes);
    if (signal.aborted) return STOPPED;
    if (!outcomes.every(isHandled)) return leftText(outcomes);
  }
}

/** Returns how many alerts are left, of how many this is not known, and why. */
function leftText(outcomes: readonly Outcome[]): string {
  const unknown = outcomes.filter(({ state }) => state === 'unknown');
  const left = outcomes.filter(({ state }) => state === 'left' || state === 'changed');
  return [
    unknown.length > 0 &&
      `It is not known for ${plural(unknown.length, 'alert')} whether the dismissal worked.`,
    left.length > 0 && `${plural(left.length, 'alert')} could not be dismissed.`,
    (unknown[0] ?? left[0])?.failure,
  ]
    .filter(Boolean)
    .join(' ');
}

/** Asks for one note for the window and all alerts dismissed with it. */
export function ReviewModal({ orgId, window, active, onClose, onReviewed }: ReviewModalProps) {
  const [note, setNote] = useKeptText('review');
  const [isTouched, setTouched] = useState(false);
  const [dismisses, setDismisses] = useState((active ?? 0) > 0);
  /** The work that runs; aborted once it is to stop. */
  const [work, setWork] = useState<AbortController | null>(null);
  const [isStopping, setStopping] = useState(false);
  const [progress, setProgress] = useState<Progress | null>(null);
  const { failure, fail, clear, isShown } = useFailure();
  const busy = work !== null;
  const isEmpty = isBlank(note);
  useEffect(() => () => work?.abort(), [work]);
  const stop = (): void => {
    work?.abort();
    setStopping(true);
  };
  const submit = async (): Promise<void> => {
    const controller = new AbortController();
    const { signal } = controller;
    setWork(controller);
    setStopping(false);
    clear();
    try {
      const dismissal = { windowId: window.id, note, signal, onProgress: setProgress };
      const problem = dismisses ? await dismissAll(orgId, dismissal) : null;
      if (problem === null) {
        await api().reviewMaintenance(orgId, window.id, note);
        if (isShown()) onClose();
        else tellElsewhere({ tone: 'success', title: 'The window is reviewed.' });
        return onReviewed();
      }
      fail({ tone: 'danger', title: failures.refused, text: problem });
    } catch (error) {
      const text = signal.aborted && !(error instanceof ApiError) ? STOPPED : messageOf(error);
      fail({ ...failureNotice(error, failures), text });
    }
    setWork(null);
  };
  // The first try to close stops the work, so that its result is seen; the next one closes.
  const canStop = busy && dismisses && !isStopping;
  return (
    <Modal title={`Review of ${window.reason}`} onClose={canStop ? stop : onClose} stays={canStop}>
      <form
        className="stack"
        noValidate
        onSubmit={(event) => {
          event.preventDefault();
          setTouched(true);
          if (!isEmpty) void submit();
        }}
      >
        <FailureNotice failure={failure} />
        <TextArea
          label="Note"
          rows={4}
          autoFocus
          maxLength={LIMITS.noteCharacters}
          value={note}
          error={isTouched && isEmpty ? 'Note required' : undefined}
          onChange={(event) => setNote(event.target.value)}
        />
        {active !== 0 && (
          <Checkbox
            label={
              active === undefined
                ? 'Dismiss its active alerts with this note; their number is not known'
                : `Dismiss its ${plural(active, 'active alert')} with this note`
            }
            hint="What is left active asks for attention again."
            checked={dismisses}
            onChange={setDismisses}
          />
        )}
        {progress !== null && <Dismissed {...progress} />}
        <ModalFoot busy={busy} cancel={canStop ? 'Stop' : undefined}>
          Submit
        </ModalFoot>
      </form>
    </Modal>
  );
}

function Dismissed({ dismissed, of }: Progress) {
  return (
    <div className="stack stack-tight">
      <progress className="progress" aria-label="Progress" value={dismissed} max={of} />
      <p role="status" className="muted">
        {dismissed.toLocaleString('en-US')} of {plural(of, 'alert')} dismissed
      </p>
    </div>
  );
}
