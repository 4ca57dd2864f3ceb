import { useAtom } from 'jotai';
import { useLayoutEffect, useState } from 'react';
import { App } from './App.tsx';
import { loadConsoleConfig } from './api/console-config.ts';
import { messageOf } from './errors.ts';
import { configAtom } from './state/config.ts';
import { restoreSession } from './state/restore.ts';
import { sessionAtom } from './state/session.ts';
import { ErrorState } from './ui/States.tsx';

/** Loads the server's configuration, then the session, before the first page. */
export function Boot() {
  const [config, setConfig] = useAtom(configAtom);
  const [session, setSession] = useAtom(sessionAtom);
  const [failure, setFailure] = useState<unknown>(null);
  const [attempt, setAttempt] = useState(0);
  // Before the paint: everything waits for these two reads.
  useLayoutEffect(() => {
    const controller = new AbortController();
    loadConsoleConfig(controller.signal).then(
      (loaded) => {
        if (controller.signal.aborted) return undefined;
        setConfig(loaded);
        return restoreSession();
      },
      (error: unknown) => {
        if (!controller.signal.aborted) setFailure(error);
      },
    );
    return () => controller.abort();
  }, [attempt, setConfig]);
  const retry = (): void => {
    setFailure(null);
    setSession({ status: 'restoring' });
    setAttempt(attempt + 1);
  };
  const error = failure ?? (session.status === 'unreachable' ? session.error : null);
  if (error !== null) {
    return (
      <main className="boot">
        <ErrorState page title="Sentinel Node cannot start" message={messageOf(error)} onRetry={retry} />
      </main>
    );
  }
  if (config === null || session.status === 'restoring') {
    return (
      <main className="boot" role="status" aria-label="Loading Sentinel Node">
        <span className="spinner" aria-hidden="true" />
      </main>
    );
  }
  return <App />;
}
