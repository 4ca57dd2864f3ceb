import { isCode } from '../api/errors.ts';
import { messageOf } from '../errors.ts';
import type { Resource } from '../state/use-resource.ts';
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx';
import { Panel } from './Panel.tsx';

interface PanelLoadingProps {
  /** Noun for the loaded object: `alert`. */
  what: string;
  resource: Pick<Resource<unknown>, 'error' | 'reload'>;
  onClose: () => void;
}

/** Panel shown while an object that the URL names loads, or after loading failed. */
export function PanelLoading({ what, resource: { error, reload }, onClose }: PanelLoadingProps) {
  const title = `${what.charAt(0).toUpperCase()}${what.slice(1)}`;
  return (
    <Panel title={title} onClose={onClose}>
      {error === null && <Skeleton lines={8} label={`Loading the ${what}`} />}
      {isCode(error, 'NOT_FOUND') && (
        <EmptyState icon="search" title={`There is no such ${what}.`}>
          Its address may be wrong, or belong to another organization.
        </EmptyState>
      )}
      {error !== null && !isCode(error, 'NOT_FOUND') && (
        <ErrorState title={`The ${what} cannot be shown`} message={messageOf(error)} onRetry={reload} />
      )}
    </Panel>
  );
}
