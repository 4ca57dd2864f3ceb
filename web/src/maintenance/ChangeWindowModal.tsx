import { LIMITS } from '@sentinel-node/contracts';
import type { Maintenance } from '../answers.ts';
import { useMemo, useRef, useState } from 'react';
import { isCode, mayBeDone } from '../api/errors.ts';
import { tagOf } from '../api/http.ts';
import { saveOver } from '../api/save-over.ts';
import { failureNotice } from '../errors.ts';
import { changeErrors, changeRequest, LAST_MOMENT, localOf } from '../forms/maintenance-values.ts';
import { isSaved } from '../forms/same-content.ts';
import { useForm } from '../forms/use-form.ts';
import { api } from '../state/api.ts';
import { tellElsewhere } from '../state/guard.ts';
import type { NoticeText } from '../state/notices.ts';
import { useEdited } from '../state/use-edited.ts';
import { useIsShown } from '../state/use-is-shown.ts';
import { zoneName } from '../time-zone.ts';
import { TextArea, TextInput } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { ModalFoot } from '../ui/ModalFoot.tsx';
import { Notice } from '../ui/Notice.tsx';
import { ChangedMeanwhile, LOADED } from '../components/ChangedMeanwhile.tsx';
import { FailureNotice } from '../components/FailureNotice.tsx';

interface ChangeWindowModalProps {
  orgId: string;
  window: Maintenance;
  onClose: () => void;
  /** Called after a change, also when the dialog is closed. */
  onChanged: () => void;
}

const failures = {
  refused: 'The window was not changed.',
  unknown: 'It is not known whether the window was changed.',
};

/** Changes the reason and end of a window that is not over, only over the state that the form began with; its scope stays. */
export function ChangeWindowModal({ orgId, window: read, onClose, onChanged }: ChangeWindowModalProps) {
  const edited = useEdited(read, ({ id }) => api().getMaintenanceWindow(orgId, id));
  const { held: window, progress, setProgress, isLost, load } = edited;
  const initial = useMemo(() => ({ reason: window.reason, end: localOf(window.end) }), [window]);
  const form = useForm(initial, changeErrors, `window ${read.id}`);
  if (form.base !== initial) form.rebase(initial);
  const [failure, setFailure] = useState<NoticeText | null>(null);
  const isShown = useIsShown();
  const place = useRef<HTMLFormElement>(null);
  const change = async (values: typeof form.values): Promise<void> => {
    setProgress('busy');
    setFailure(null);
    try {
      const { id } = window;
      const request = changeRequest(window, values);
      await saveOver(
        () => api().changeMaintenance(orgId, id, request, tagOf(window)),
        async () => isSaved(request, await api().getMaintenanceWindow(orgId, id)),
      );
      if (isShown()) onClose();
      else tellElsewhere({ tone: 'success', title: 'The window was changed.' });
      onChanged();
    } catch (error) {
      if (!isShown()) return tellElsewhere(failureNotice(error, failures));
      if (isCode(error, 'STALE')) return setProgress('stale');
      if (mayBeDone(error)) edited.setLost(true);
      setFailure(failureNotice(error, failures));
      setProgress('idle');
    }
  };
  const focusReason = (): void => place.current?.querySelector('textarea')?.focus();
  return (
    <Modal title={`Change of ${window.reason}`} onClose={onClose}>
      <form ref={place} className="stack" noValidate onSubmit={form.submit((values) => void change(values))}>
        <FailureNotice failure={failure} />
        {progress === 'stale' && <ChangedMeanwhile what="window" {...{ isLost, load }} tell={focusReason} />}
        {progress === 'loaded' && (
          <Notice tone="info" title={LOADED.title}>
            {LOADED.text}
          </Notice>
        )}
        <TextArea label="Reason" maxLength={LIMITS.descriptionCharacters} {...form.text('reason')} />
        <TextInput
          label="End"
          type="datetime-local"
          max={LAST_MOMENT}
          hint={`In ${zoneName()}; at most ${LIMITS.windowDaysMax} days after the start.`}
          {...form.text('end')}
        />
        <ModalFoot busy={progress === 'busy'}>Save changes</ModalFoot>
      </form>
    </Modal>
  );
}
