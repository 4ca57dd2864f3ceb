import type { NoticeText } from '../state/notices.ts';
import { Notice } from '../ui/Notice.tsx';

const scrollThere = (notice: Element | null): void => notice?.scrollIntoView({ block: 'nearest' });

/** Shows below a form why nothing was made or saved, in view. */
export function MakingFailure({ title, text, reason, action }: Omit<NoticeText, 'tone'>) {
  return (
    <div ref={scrollThere} className="making-failure">
      <Notice tone="danger" title={title} reason={reason} action={action}>
        {text}
      </Notice>
    </div>
  );
}
