import type { Alert } from '../answers.ts';
import { failureNotice } from '../errors.ts';
import { api } from '../state/api.ts';
import { notify } from '../state/notices.ts';
import { ConfirmDialog } from '../components/ConfirmDialog.tsx';

interface EndSharingProps {
  orgId: string;
  alert: Alert;
  onClose: () => void;
  onEnded: () => void;
}

const failures = {
  refused: 'The sharing was not ended.',
  unknown: 'It is not known whether the sharing was ended.',
};

/** Asks, then ends the sharing: nobody can open the alert's public page any more. */
export function EndSharing({ orgId, alert, onClose, onEnded }: EndSharingProps) {
  const end = async (): Promise<void> => {
    onClose();
    try {
      await api().endSharing({ orgId, deviceId: alert.deviceId, id: alert.id });
      notify({
        tone: 'success',
        title: 'Sharing ended',
        text: 'The link shows nothing any more, unless the alert is shared again.',
      });
      onEnded();
    } catch (error) {
      notify(failureNotice(error, failures));
    }
  };
  const people = alert.sharedData.map((share) => share.emailAddress).join(', ');
  return (
    <ConfirmDialog
      title="Are you sure you want to end sharing this alert?"
      text={`The link that was sent to ${people} will show nothing any more, unless the alert is shared again.`}
      tone="danger"
      onYes={() => void end()}
      onClose={onClose}
    />
  );
}
