import { ErrorState } from './States.tsx';

/** Replaces a lazily loaded part that failed: the server is away, or has another version than the open page. */
export function PartMissing() {
  return (
    <ErrorState
      title="This part could not be loaded"
      message="The server cannot be reached, or has a newer version of this page. Reload the page."
      onRetry={() => window.location.reload()}
    />
  );
}
