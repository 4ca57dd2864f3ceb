import { useAtomValue } from 'jotai';
import { liveAtom } from '../state/live.ts';

const words = { connecting: 'Connecting', live: 'Live', stale: 'Offline' } as const;

/** Whether what is shown follows the server as it happens. */
export function LiveMark() {
  const { state } = useAtomValue(liveAtom);
  return (
    <span className="live-mark" data-state={state} role="status" title="Live updates">
      <span className="live-dot" aria-hidden="true" />
      {words[state]}
    </span>
  );
}
