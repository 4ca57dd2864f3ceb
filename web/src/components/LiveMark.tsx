import { useAtomValue } from 'jotai';
import { liveAtom } from '../state/live.ts';

const words = { connecting: 'Connecting', live: 'Live', stale: 'Offline' } as const;

/** Shows whether the page receives live updates. */
export function LiveMark() {
  const { state } = useAtomValue(liveAtom);
  return (
    <span className="live-mark" data-state={state} role="status" title="Live updates">
      <span className="live-dot" aria-hidden="true" />
      <span className="live-word">{words[state]}</span>
    </span>
  );
}
