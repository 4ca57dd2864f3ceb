import { useAtomValue } from 'jotai';
import { liveAtom } from '../state/live.ts';
import { MOBILE, useMediaQuery } from '../state/use-media-query.ts';

const words = { connecting: 'Connecting', live: 'Live', stale: 'Offline' } as const;

/** Shows whether the page receives live updates; on a narrow screen by the form of the dot alone. */
export function LiveMark() {
  const { state } = useAtomValue(liveAtom);
  const isMobile = useMediaQuery(MOBILE);
  return (
    <span className="live-mark" data-state={state} role="status" title="Live updates">
      <span className="live-dot" aria-hidden="true" />
      <span className={isMobile ? 'live-word visually-hidden' : 'live-word'}>{words[state]}</span>
    </span>
  );
}
