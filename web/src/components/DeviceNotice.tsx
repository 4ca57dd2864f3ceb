import { useCallback, useMemo, useState } from 'react';
import type { FailedChange } from '../errors.ts';
import { paths } from '../paths.ts';
import { leaveForm, navigate } from '../state/guard.ts';
import type { NoticeText } from '../state/notices.ts';
import { useNavigationState } from '../state/use-navigation-state.ts';
import { useTimedNotice } from '../state/use-timed-notice.ts';
import { Notice } from '../ui/Notice.tsx';

/** Outcome that the device form and the device page pass to the list. */
export interface DeviceOutcome extends FailedChange {
  outcome: 'added' | 'updated' | 'deleted';
  id?: string;
  name?: string;
}

const failures = {
  added: 'Device was not added, please try again.',
  updated: 'Device was not updated, please try again.',
  deleted: 'Device was not deleted, please try again.',
} as const;

function noticeOf(state: DeviceOutcome): NoticeText {
  const { outcome, reason } = state;
  if (state.error) return { tone: 'danger', title: 'Error!', text: failures[outcome], reason };
  if (state.outcome === 'deleted') {
    return { tone: 'success', title: 'Success!', text: 'Device was deleted successfully.' };
  }
  const { id, name = '' } = state;
  const title = `${state.outcome === 'added' ? 'New device was added' : 'Device was updated'} successfully!`;
  const notice: NoticeText = {
    tone: 'success',
    title,
    text: `Do you want to add files to ${name} device?`,
    duration: 6_000,
  };
  if (id === undefined) return notice;
  return {
    ...notice,
    action: { label: 'Add files', run: () => navigate(paths.addFiles(id), { state: { name } }) },
  };
}

/** Leaves a device's form for the list, which shows the outcome. */
export const leaveDeviceForm = (isShown: boolean, outcome: DeviceOutcome): void =>
  leaveForm(isShown, paths.devices, outcome, noticeOf(outcome));

export function useDeviceNotice() {
  const [state, setState] = useState<DeviceOutcome | null>(null);
  useNavigationState<Partial<DeviceOutcome>>((carried) => {
    if (carried.outcome !== undefined) setState({ ...carried, outcome: carried.outcome });
  });
  return { state, onClose: useCallback(() => setState(null), []) };
}

/** Shows the outcome as a notice among the page's sticky parts. */
export function DeviceNotice({ state, onClose }: { state: DeviceOutcome | null; onClose: () => void }) {
  const notice = useMemo(() => (state === null ? null : noticeOf(state)), [state]);
  return notice && <StickyNotice notice={notice} onClose={onClose} />;
}

function StickyNotice({ notice, onClose }: { notice: NoticeText; onClose: () => void }) {
  const { props, leave } = useTimedNotice(notice, onClose);
  return (
    <div className="sticky-notice" {...props}>
      <Notice
        tone={notice.tone}
        title={notice.title}
        reason={notice.reason}
        action={notice.action}
        onClose={leave}
      >
        {notice.text}
      </Notice>
    </div>
  );
}
