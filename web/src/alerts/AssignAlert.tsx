import type { Alert } from '../answers.ts';
import { ERRORS, isErrorCode } from '@sentinel-node/contracts';
import { useState } from 'react';
import { ApiError } from '../api/errors.ts';
import { failureNotice } from '../errors.ts';
import { api } from '../state/api.ts';
import { useFailure } from '../state/use-failure.ts';
import { AssignModal } from './AssignModal.tsx';

interface AssignAlertProps {
  orgId: string;
  alert: Alert;
  onClose: () => void;
  /** Called after an assignment, also when the dialog is closed. */
  onDone: () => void;
}

const failures = {
  refused: 'The alert was not assigned.',
  unknown: 'It is not known whether the alert was assigned.',
};

/** Returns the failure that the answer about one alert names. */
function refusalOf(code: string | undefined): ApiError {
  if (code === undefined || !isErrorCode(code)) return new ApiError('UNEXPECTED_ANSWER', 0, 'not known');
  return new ApiError(code, ERRORS[code].status, 'refused');
}

/** Asks to whom an alert is assigned, and assigns it. */
export function AssignAlert({ orgId, alert, onClose, onDone }: AssignAlertProps) {
  const [busy, setBusy] = useState(false);
  const { failure, fail, clear, isShown } = useFailure();
  const assign = async (userId: string | null): Promise<void> => {
    setBusy(true);
    clear();
    try {
      const { answers } = await api().assignAlerts(orgId, { ids: [alert.id], userId });
      const code = answers[0]?.code;
      if (code !== null) throw refusalOf(code);
      onDone();
      if (isShown()) onClose();
    } catch (error) {
      fail(failureNotice(error, failures));
      setBusy(false);
    }
  };
  return (
    <AssignModal
      orgId={orgId}
      what="this alert"
      busy={busy}
      failure={failure}
      onAssign={(userId) => void assign(userId)}
      onClose={onClose}
    />
  );
}
