import { visible } from '@sentinel-node/contracts';
import type { HandledStatus } from '@sentinel-node/contracts';
import { useSetAtom } from 'jotai';
import { useEffect, useId, useRef, useState } from 'react';
import { alertName, plural, wordFor } from '../format.ts';
import { noticesPlaceAtom } from '../state/notices.ts';
import { Button } from '../ui/Button.tsx';
import { Modal } from '../ui/Modal.tsx';
import { AssignModal } from './AssignModal.tsx';
import { ConfirmDialog } from '../components/ConfirmDialog.tsx';
import { NoteModal } from '../components/NoteModal.tsx';
import { CHOSEN_MAX, handleAll, type Chosen, type Outcome, type Selection, type Task } from './triage.ts';
import { useLeaveGuard } from '../components/use-leave-guard.tsx';

interface TriageBarProps {
  orgId: string;
  selection: Selection;
  /** Chooses all alerts that match the filter, also on further pages. */
  onAll: () => Promise<void>;
  onClear: () => void;
  /** Called with the alerts that are to be chosen no longer. */
  onDone: (ids: readonly string[]) => void;
}

/** An action begins with the alerts that are chosen then: the dialogs name their number, and no other is handled. */
type Step =
  | { at: 'none' }
  | { at: 'assign'; chosen: readonly Chosen[] }
  | { at: 'ask' | 'note'; status: HandledStatus; chosen: readonly Chosen[] }
  | { at: 'work'; done: string; chosen: readonly Chosen[] };

const words = {
  RESOLVED: { verb: 'dismiss', done: 'dismissed', tone: 'primary' },
  DEACTIVATED: { verb: 'reset', done: 'reset', tone: 'danger' },
} as const;

const consequences: Record<HandledStatus, string> = {
  RESOLVED: 'Their chains go on from the content that was reported.',
  DEACTIVATED: 'The content that was reported last becomes the new baseline of each file.',
};

/** States of alerts that are chosen no longer: those that changed are looked at again first. */
const LEAVE: ReadonlySet<Outcome['state']> = new Set(['handled', 'earlier', 'changed']);

const theseAlerts = (count: number): string =>
  count === 1 ? 'this alert' : `these ${plural(count, 'alert')}`;

/** Offers actions on the chosen alerts, with one confirmation, one note, and a result for each alert. */
export function TriageBar({ orgId, selection, onAll, onClear, onDone }: TriageBarProps) {
  const [step, setStep] = useState<Step>({ at: 'none' });
  const [outcomes, setOutcomes] = useState<readonly Outcome[]>([]);
  const isStopped = useRef(false);
  const stop = (): void => {
    isStopped.current = true;
  };
  // Stop the work when the bar is closed.
  useEffect(() => stop, []);
  const [reading, setReading] = useState<'no' | 'yes' | 'failed'>('no');
  const close = (): void => setStep({ at: 'none' });
  const chooseAll = async (): Promise<void> => {
    setReading('yes');
    await onAll().then(
      () => setReading('no'),
      () => setReading('failed'),
    );
  };
  const work = (task: Task, chosen: readonly Chosen[]): void => {
    isStopped.current = false;
    setOutcomes([]);
    setStep({ at: 'work', done: 'userId' in task ? 'assigned' : words[task.status].done, chosen });
    void handleAll(orgId, chosen, task, setOutcomes, () => isStopped.current);
  };
  const begin = (step: { at: 'assign' } | { at: 'ask'; status: HandledStatus }): void =>
    setStep({ ...step, chosen: [...selection.values()] });
  /** The choice still grows. */
  const isGrowing = reading === 'yes';
  return (
    <section ref={useSetAtom(noticesPlaceAtom)} className="triage-bar" aria-label="Selected alerts">
      <strong className="num" role="status">
        {plural(selection.size, 'alert')} selected
        {selection.size === CHOSEN_MAX && ', the most at once'}
      </strong>
      <Button small shortcut="select-all" busy={reading === 'yes'} onClick={() => void chooseAll()}>
        {reading === 'failed' ? 'Not all could be read. Try again' : 'Select all that match'}
      </Button>
      <Button small tone="quiet" onClick={onClear}>
        Clear
      </Button>
      <span className="visually-hidden" role="status">
        {reading === 'failed' && 'Not all alerts that match could be selected.'}
      </span>
      <div className="grow" />
      <Button icon="users" busy={isGrowing} onClick={() => begin({ at: 'assign' })}>
        Assign
      </Button>
      <Button
        icon="reset"
        shortcut="reset"
        busy={isGrowing}
        onClick={() => begin({ at: 'ask', status: 'DEACTIVATED' })}
      >
        Reset
      </Button>
      <Button
        tone="primary"
        icon="check"
        shortcut="dismiss"
        busy={isGrowing}
        onClick={() => begin({ at: 'ask', status: 'RESOLVED' })}
      >
        Dismiss
      </Button>
      {step.at === 'assign' && (
        <AssignModal
          orgId={orgId}
          what={plural(step.chosen.length, 'alert')}
          busy={false}
          failure={null}
          onAssign={(userId) => work({ userId }, step.chosen)}
          onClose={close}
        />
      )}
      {step.at === 'ask' && (
        <ConfirmDialog
          title={`Are you sure you want to ${words[step.status].verb} ${plural(step.chosen.length, 'alert')}?`}
          text={consequences[step.status]}
          tone={words[step.status].tone}
          onYes={() => setStep({ ...step, at: 'note' })}
          onClose={close}
        />
      )}
      {step.at === 'note' && (
        <NoteModal
          text={`Please explain why ${theseAlerts(step.chosen.length)} can be ${words[step.status].done}. The note is kept with each.`}
          busy={false}
          onSubmit={(note) => work({ status: step.status, note }, step.chosen)}
          onClose={close}
        />
      )}
      {step.at === 'work' && (
        <Work
          done={step.done}
          count={step.chosen.length}
          outcomes={outcomes}
          onStop={stop}
          onClose={() => {
            close();
            onDone(outcomes.filter(({ state }) => LEAVE.has(state)).map(({ alert }) => alert.id));
          }}
        />
      )}
    </section>
  );
}

interface WorkProps {
  /** The action as a participle: `dismissed`. */
  done: string;
  /** Number of chosen alerts. */
  count: number;
  outcomes: readonly Outcome[];
  onStop: () => void;
  onClose: () => void;
}

const inState = (outcomes: readonly Outcome[], ...states: Outcome['state'][]): Outcome[] =>
  outcomes.filter(({ state }) => states.includes(state));

/** Returns `2 of 4 alerts dismissed, 1 handled already, 1 not known`. */
function summaryOf(outcomes: readonly Outcome[], count: number, done: string): string {
  const some = (state: Outcome['state'], words: string): string[] => {
    const { length } = inState(outcomes, state);
    return length === 0 ? [] : [`${length.toLocaleString('en-US')} ${words}`];
  };
  const handled = inState(outcomes, 'handled').length.toLocaleString('en-US');
  return [
    `${handled} of ${plural(count, 'alert')} ${done}`,
    ...some('earlier', 'handled already'),
    ...some('unknown', 'not known'),
  ].join(', ');
}

/** Shows the progress, then the results of the alerts that this try did not handle. */
function Work({ done, count, outcomes, onStop, onClose }: WorkProps) {
  const summary = summaryOf(outcomes, count, done);
  const isOver = outcomes.length === count;
  const quit = useLeaveGuard(
    !isOver,
    'Do you want to stop?',
    'The alerts that are left stay as they are.',
    onStop,
  );
  return (
    <Modal title={summary} onClose={isOver ? onClose : onStop} stays={!isOver} question>
      <div className="stack">
        <progress className="progress" aria-label="Progress" value={outcomes.length} max={count} />
        <Outcomes title={`It is not known whether these were ${done}`} of={inState(outcomes, 'unknown')} />
        <Outcomes title="Handled already" of={inState(outcomes, 'earlier')} />
        <Outcomes title="Not handled" of={inState(outcomes, 'changed', 'left')} />
        <div className="modal-foot">
          {isOver ? (
            <Button tone="primary" onClick={onClose}>
              Done
            </Button>
          ) : (
            <Button onClick={onStop}>Stop</Button>
          )}
        </div>
      </div>
      {!isOver && quit}
    </Modal>
  );
}

/** Lists results of one kind; nothing without any. */
function Outcomes({ title, of }: { title: string; of: readonly Outcome[] }) {
  const id = useId();
  if (of.length === 0) return null;
  return (
    <>
      <p id={id}>{title}</p>
      <ul className="item-list item-scroll" aria-labelledby={id} tabIndex={0}>
        {of.map(({ alert, failure }) => (
          <li key={alert.id} className="triage-failure">
            <strong>{wordFor(alertName, alert.type)}</strong>{' '}
            {visible(`${alert.fileName} on ${alert.deviceName}`)}
            <span className="muted">{failure}</span>
          </li>
        ))}
      </ul>
    </>
  );
}
