import type { Alert } from '@sentinel-node/contracts';
import { isErrorCode } from '@sentinel-node/contracts';
import { useState } from 'react';
import { ApiError } from '../api/errors.ts';
import { messageOf } from '../errors.ts';
import { api } from '../state/api.ts';
import { AssignModal } from './AssignModal.tsx';

interface AssignAlertProps {
  orgId: string;
  alert: Alert;
  onClose: () => void;
  onDone: () => void;
}

export function AssignAlert({ orgId, alert, onClose, onDone }: AssignAlertProps) {
  const [busy, setBusy] = useState(false);
  const [failure, setFailure] = useState<string | null>(null);
  const assign = async (userId: string | null): Promise<void> => {
    setBusy(true);
    try {
      const { answers } = await api().assignAlerts(orgId, { ids: [alert.id], userId });
      const code = answers[0]?.code;
      if (code === null) return onDone();
      const known = code !== undefined && isErrorCode(code) ? code : 'UNKNOWN';
      setFailure(messageOf(new ApiError(known, 0, 'refused')));
    } catch (error) {
      setFailure(messageOf(error));
    }
    setBusy(false);
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
