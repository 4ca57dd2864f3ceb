import { visible } from '@sentinel-node/contracts';
import { useAtomValue } from 'jotai';
import { useCallback, useEffect, useRef, useState } from 'react';
import { useParams } from 'wouter';
import { isCode } from '../api/errors.ts';
import type { SharedAlert } from '../api/shared-alert.ts';
import { messageOf } from '../errors.ts';
import { alertInformationOf, alertName, capitalised, wordFor, handlerTerm, entryOf } from '../format.ts';
import { api } from '../state/api.ts';
import { orgIdAtom } from '../state/session.ts';
import { UNANNOUNCED_MS, useReadAgain } from '../state/use-read-again.ts';
import { Badge } from '../ui/Badge.tsx';
import { Moment } from '../components/Moment.tsx';
import { SharedCheck } from './SharedCheck.tsx';
import { StaleBanner } from '../components/StaleBanner.tsx';
import { DescriptionList } from '../ui/DescriptionList.tsx';
import { Hash } from '../ui/Hash.tsx';
import { PageHeader } from '../ui/PageHeader.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx';

type State = { alert: SharedAlert } | { error: unknown } | null;

/**
 * Reads a shared alert without a stream, because a visitor has no session. Reads it again and again: what cannot be read any
 * more is not shown, since the page could not say that it is old.
 */
function useSharedAlert(id: string) {
  const [state, setState] = useState<State>(null);
  const [knownId, setKnownId] = useState<string | null>(null);
  const [attempt, setAttempt] = useState(0);
  const isReading = useRef(false);
  useEffect(() => {
    const controller = new AbortController();
    isReading.current = true;
    api()
      .getSharedAlert(id, controller.signal)
      .then(
        (alert) => {
          if (controller.signal.aborted) return;
          isReading.current = false;
          setState({ alert });
          setKnownId(id);
        },
        (error: unknown) => {
          if (controller.signal.aborted) return;
          isReading.current = false;
          setState({ error });
        },
      );
    return () => controller.abort();
  }, [id, attempt]);
  const readAgain = useCallback(() => {
    if (!isReading.current) setAttempt((n) => n + 1);
  }, []);
  useReadAgain(readAgain, UNANNOUNCED_MS);
  const retry = (): void => {
    setState(null);
    readAgain();
  };
  return { state, retry, wasRead: knownId === id };
}

/** Excludes the page from search engines. */
function useNoIndex(): void {
  useEffect(() => {
    const meta = document.createElement('meta');
    meta.name = 'robots';
    meta.content = 'noindex';
    document.head.append(meta);
    return () => meta.remove();
  }, []);
}

export function SharedAlertPage() {
  const { alertId } = useParams<{ alertId: string }>();
  const { state, retry, wasRead } = useSharedAlert(alertId);
  const isShown = state !== null && 'alert' in state;
  // A member has the banner above every page.
  const isStranger = useAtomValue(orgIdAtom) === null;
  useNoIndex();
  return (
    <div className="narrow">
      {isStranger && <StaleBanner />}
      <PageHeader title="Shared alert" />
      <section className="card">
        {state === null && <Skeleton lines={8} label="Loading the alert" />}
        {isShown && <SharedFacts alert={state.alert} />}
        {state !== null && 'error' in state && <Failure error={state.error} onRetry={retry} />}
      </section>
      {wasRead && <SharedCheck key={alertId} alertId={alertId} isShared={isShown} />}
    </div>
  );
}

function Failure({ error, onRetry }: { error: unknown; onRetry: () => void }) {
  if (isCode(error, 'NOT_FOUND')) {
    return (
      <EmptyState icon="share" title="There is no shared alert here.">
        The link may be wrong, or the alert is no longer shared.
      </EmptyState>
    );
  }
  if (isCode(error, 'SHARE_ENDED')) {
    return (
      <EmptyState icon="share" title="This link has ended.">
        {messageOf(error)}
      </EmptyState>
    );
  }
  return <ErrorState title="The alert cannot be shown" message={messageOf(error)} onRetry={onRetry} />;
}

const tones = { ACTIVE: 'danger', RESOLVED: 'success', DEACTIVATED: 'warning' } as const;

function SharedFacts({ alert }: { alert: SharedAlert }) {
  const items: [string, React.ReactNode][] = [
    ['Alert ID', <Hash value={alert.id} label="alert id" full />],
    ['Time', <Moment at={alert.timestamp} />],
    ['Status', <Badge tone={entryOf(tones, alert.status) ?? 'neutral'}>{capitalised(alert.status)}</Badge>],
    ['Type', `${wordFor(alertName, alert.type)}. ${alertInformationOf(alert.type)}`],
  ];
  if (alert.status !== 'ACTIVE') {
    items.push([handlerTerm(alert.status), alert.overrideUserEmail]);
  }
  items.push(
    ['Note', <span className="preserve">{alert.note ?? '-'}</span>],
    ['Device ID', <span className="mono break">{alert.deviceId}</span>],
    ['Device name', alert.deviceName],
    ['File ID', <span className="mono break">{alert.fileId}</span>],
    ['File name', alert.fileName],
  );
  return (
    <>
      <DescriptionList items={items} />
      <div>
        <h2>Event request</h2>
        <p className="muted">
          The time and this request are those of the first occurrence. Later ones are not shown here.
        </p>
        <pre className="json" role="group" tabIndex={0} aria-label="Event request">
          {visible(formatted(alert.eventRequest))}
        </pre>
      </div>
    </>
  );
}

function formatted(json: string): string {
  try {
    return JSON.stringify(JSON.parse(json), null, 2);
  } catch {
    return json;
  }
}
