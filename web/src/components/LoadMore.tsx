import { useEffect, useRef } from 'react';
import { useUrlPageLength } from '../state/use-url-page.ts';
import { Button } from '../ui/Button.tsx';
import { MoreExist } from '../ui/MoreExist.tsx';
import { PageLength } from '../ui/PageLength.tsx';

interface LoadMoreProps {
  busy: boolean;
  failed: boolean;
  onMore: () => void;
}

/** Distance below the screen at which loading begins; a larger one would load before the person scrolls down. */
const AHEAD = '120px';

/** Loads more rows when scrolled into view; the button serves the keyboard and retries after a failure. */
export function LoadMore({ busy, failed, onMore }: LoadMoreProps) {
  const ref = useRef<HTMLDivElement>(null);
  const { pageLength, onPageLength } = useUrlPageLength();
  useEffect(() => {
    const element = ref.current;
    if (element === null || busy || failed) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) onMore();
      },
      { rootMargin: `0px 0px ${AHEAD} 0px` },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [busy, failed, onMore]);
  return (
    <>
      <MoreExist />
      <div ref={ref} className="load-more">
        <Button small busy={busy} onClick={onMore}>
          {busy ? 'Loading…' : failed ? 'Loading failed. Try again' : 'Load more'}
        </Button>
        <span className="visually-hidden" role="status">
          {failed && !busy && 'Loading more rows failed.'}
        </span>
        <PageLength value={pageLength} onChange={onPageLength} />
      </div>
    </>
  );
}
