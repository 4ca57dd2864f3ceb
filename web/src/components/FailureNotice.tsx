import type { NoticeText } from '../state/notices.ts';
import { Notice } from '../ui/Notice.tsx';

/** Shows in a form why its work failed; nothing without a failure. */
export function FailureNotice({ failure }: { failure: NoticeText | null }) {
  if (failure === null) return null;
  return (
    <Notice tone="danger" title={failure.title} reason={failure.reason}>
      {failure.text}
    </Notice>
  );
}
