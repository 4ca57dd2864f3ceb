import type { File } from '../answers.ts';
import { shownDateTime } from '../format.ts';
import type { ShownHistory } from './live-history.ts';
import { Notice } from '../ui/Notice.tsx';
import { unwatchedText, parkedWords } from '../components/unwatched.ts';

/** Warns why a file's data may be old or no longer grows. */
export function FileWarnings({ history, file }: { history: ShownHistory; file: File | undefined }) {
  if (history.deleted) {
    return (
      <Notice tone="info" title="The file is no longer monitored: it was deleted.">
        Its chain, its alerts and its events stay, and can still be proven.
      </Notice>
    );
  }
  if (file === undefined) return null;
  const { parked, problem, contact, lastContact, enabled } = file;
  const isMonitored = enabled && history.device.enabled;
  return (
    <>
      {parked !== undefined && (
        <Notice tone="warning" title="The file is parked">
          {parkedWords(parked)}
        </Notice>
      )}
      {isMonitored && problem !== undefined && (
        <Notice tone="warning" title="The agent does not look at this file">
          {unwatchedText(problem)}
        </Notice>
      )}
      {isMonitored && problem === undefined && contact === 'LOST' && (
        <Notice tone="warning" title="Contact lost">
          {lastContact === null
            ? 'No report of the file ever came, although its device was heard of.'
            : `The file was last looked at on ${shownDateTime(lastContact)}. What is shown is as it was then.`}
        </Notice>
      )}
    </>
  );
}
