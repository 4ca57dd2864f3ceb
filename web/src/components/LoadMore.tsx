import { useEffect, useRef } from 'react';
import { Button } from '../ui/Button.tsx';

interface LoadMoreProps {
  busy: boolean;
  failed: boolean;
  onMore: () => void;
}

/** Loads when it comes into view at the bottom of the page; the button is for the keyboard, and after a failure. */
export function LoadMore({ busy, failed, onMore }: LoadMoreProps) {
  const ref = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const element = ref.current;
    if (element === null || busy || failed) return undefined;
    const observer = new IntersectionObserver(
      (entries) => {
        if (entries.some((entry) => entry.isIntersecting)) onMore();
      },
      { rootMargin: '120px' },
    );
    observer.observe(element);
    return () => observer.disconnect();
  }, [busy, failed, onMore]);
  return (
    <div ref={ref} className="load-more">
      <Button small busy={busy} onClick={onMore}>
        {busy ? 'Loading…' : failed ? 'Loading failed. Try again' : 'Load more'}
      </Button>
    </div>
  );
}
