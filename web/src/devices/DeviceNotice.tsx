import { useCallback, useMemo, useRef, useState } from 'react';
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
  const [room, setRoom] = useState(0);
  const onGone = useCallback((left: number) => {
    setState(null);
    setRoom(left);
  }, []);
  return { state, room, onGone };
}

interface DeviceNoticeProps {
  state: DeviceOutcome | null;
  /** Height that a notice left, in px. */
  room: number;
  /** @param left height that stays free, in px: 0 when the person closed the notice */
  onGone: (left: number) => void;
  /** Called when the person closes the notice, and its button is about to go. */
  onClose: () => void;
}

/**
 * Shows the outcome as a notice among the page's sticky parts. Its room goes at once with the person's own click. A notice that goes
 * by itself leaves its room, so that no row moves under a pointer that is on its way to another one.
 */
export function DeviceNotice({ state, room, onGone, onClose }: DeviceNoticeProps) {
  const notice = useMemo(() => (state === null ? null : noticeOf(state)), [state]);
  if (notice !== null) return <StickyNotice notice={notice} onGone={onGone} onClose={onClose} />;
  return room > 0 && <div className="notice-room" style={{ height: room }} />;
}

type StickyNoticeProps = Pick<DeviceNoticeProps, 'onGone' | 'onClose'> & { notice: NoticeText };

function StickyNotice({ notice, onGone, onClose }: StickyNoticeProps) {
  const whole = useRef<HTMLDivElement>(null);
  const [isClosed, setClosed] = useState(false);
  const { props, leave } = useTimedNotice(
    notice,
    useCallback(() => onGone(isClosed ? 0 : (whole.current?.offsetHeight ?? 0)), [onGone, isClosed]),
  );
  const close = (): void => {
    setClosed(true);
    leave();
    onClose();
  };
  return (
    <div className="sticky-notice" ref={whole} data-closed={isClosed || undefined} {...props}>
      <Notice
        tone={notice.tone}
        title={notice.title}
        reason={notice.reason}
        action={notice.action}
        onClose={close}
      >
        {notice.text}
      </Notice>
    </div>
  );
}
