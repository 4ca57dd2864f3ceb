import type { HandledStatus } from '@sentinel-node/contracts';
import type { Alert } from '../answers.ts';
import { useState } from 'react';
import { isCode } from '../api/errors.ts';
import { failureNotice, messageOf } from '../errors.ts';
import { api } from '../state/api.ts';
import { notify } from '../state/notices.ts';
import { useFailure } from '../state/use-failure.ts';
import { ConfirmDialog } from '../components/ConfirmDialog.tsx';
import { NoteModal } from '../components/NoteModal.tsx';

interface TurnOffAlertProps {
  orgId: string;
  alert: Alert;
  status: HandledStatus;
  onClose: () => void;
  onDone: (alert: Alert) => void;
  /** Called when the alert changed since the person saw it. */
  onStale: () => void;
}

const texts = {
  RESOLVED: {
    question: 'Are you sure you want to dismiss this alert?',
    consequence: 'The chain goes on from the content that was reported.',
    note: 'Please explain why this alert can be dismissed',
    done: 'Alert dismissed',
    refused: 'The alert was not dismissed.',
    unknown: 'It is not known whether the alert was dismissed.',
    tone: 'primary',
  },
  DEACTIVATED: {
    question: 'Are you sure you want to reset the chain of this file?',
    consequence: 'The content that was reported last becomes the new baseline.',
    note: 'Please explain why the chain should be reset',
    done: 'Chain reset',
    refused: 'The chain was not reset.',
    unknown: 'It is not known whether the chain was reset.',
    tone: 'danger',
  },
} as const;

/** Dismisses or resets an alert: a confirmation, then the note, then the call. */
export function TurnOffAlert({ orgId, alert, status, onClose, onDone, onStale }: TurnOffAlertProps) {
  const [confirmed, setConfirmed] = useState(false);
  const [busy, setBusy] = useState(false);
  /** As the person saw it: the alert may occur again under the dialog. */
  const [occurrences] = useState(alert.occurrences);
  const [isStale, setStale] = useState(false);
  const { failure, fail, clear, isShown } = useFailure();
  const text = texts[status];
  const submit = async (note: string): Promise<void> => {
    setBusy(true);
    clear();
    try {
      const { deviceId, fileId, id } = alert;
      const fresh = await api().turnOffAlert({ orgId, deviceId, fileId, id }, { note, status, occurrences });
      notify({ tone: 'success', title: text.done });
      onDone(fresh);
      if (isShown()) onClose();
    } catch (error) {
      const isHandled = isCode(error, 'ALERT_NOT_ACTIVE');
      const isOver = isHandled || isCode(error, 'ALERT_CHANGED');
      fail(isHandled ? { tone: 'danger', title: messageOf(error) } : failureNotice(error, text));
      setBusy(false);
      setStale(isOver);
      if (isOver) onStale();
    }
  };
  if (!confirmed) {
    return (
      <ConfirmDialog
        title={text.question}
        text={text.consequence}
        tone={text.tone}
        onYes={() => setConfirmed(true)}
        onClose={onClose}
      />
    );
  }
  return (
    <NoteModal
      text={text.note}
      busy={busy}
      failure={failure}
      over={isStale}
      onSubmit={(note) => void submit(note)}
      onClose={onClose}
    />
  );
}
