import { useAtomValue } from 'jotai';
import { useEffect, useLayoutEffect, useState } from 'react';
import { createPortal, flushSync } from 'react-dom';
import { shownDateTime } from '../format.ts';
import { api } from '../state/api.ts';
import { serverNow } from '../state/clock.ts';
import { userAtom } from '../state/session.ts';
import { zoneAt } from '../time-zone.ts';
import { openDialogsAtom } from '../ui/open-dialogs.ts';

interface Printed {
  at: number;
  title: string;
}

/**
 * Head of a printout: title, organisation, person, time and address. Rendered only while the browser prints, so that a
 * search does not find its texts twice.
 */
export function PrintHead() {
  const user = useAtomValue(userAtom);
  const dialog = useAtomValue(openDialogsAtom).find((open) => open.matches('.side-modal'));
  const organization = useOrganization(user?.orgId ?? null, dialog !== undefined);
  const [printed, setPrinted] = useState<Printed | null>(null);
  const host = useHost(dialog);
  useEffect(
    () =>
      whenPrinting((isPrinting) =>
        flushSync(() => setPrinted(isPrinting ? { at: serverNow(), title: document.title } : null)),
      ),
    [],
  );
  if (printed === null) return null;
  const at = new Date(printed.at).toISOString();
  return createPortal(
    <div className="print-head">
      <Line term="What" value={printed.title} />
      {user !== null && (
        <Line term="Organization" value={[organization, user.orgId].filter(Boolean).join(', ')} />
      )}
      <Line
        term="Printed"
        value={`${shownDateTime(at)} ${zoneAt(at)}${user === null ? '' : `, by ${user.email}`}`}
      />
      <Line term="Address" value={location.href} />
    </div>,
    host,
  );
}

function Line({ term, value }: { term: string; value: string }) {
  return (
    <p>
      <span className="muted">{term}</span> <span>{value}</span>
    </p>
  );
}

/** Returns the head's container: in an open panel, which is printed alone, else before the page. */
function useHost(dialog: HTMLElement | undefined): HTMLElement {
  const [host] = useState(newHost);
  useLayoutEffect(() => {
    (dialog ?? document.body).prepend(host);
  }, [dialog, host]);
  useEffect(() => () => host.remove(), [host]);
  return host;
}

function newHost(): HTMLElement {
  const host = document.createElement('div');
  host.className = 'print-only';
  return host;
}

/** Returns the organisation's name, read when a panel opens because printing cannot wait; empty until known. */
function useOrganization(orgId: string | null, isWanted: boolean): string {
  const [known, setKnown] = useState<{ id: string; name: string } | null>(null);
  const isKnown = known?.id === orgId;
  useEffect(() => {
    if (orgId === null || isKnown || !isWanted) return undefined;
    const controller = new AbortController();
    api()
      .getOrganization(orgId, controller.signal)
      .then(
        ({ name }) => setKnown({ id: orgId, name }),
        // Without the name, the printout shows the organisation's id.
        () => undefined,
      );
    return () => controller.abort();
  }, [orgId, isKnown, isWanted]);
  return isKnown ? (known?.name ?? '') : '';
}

/** Calls `tell` around printing and unfolds all details meanwhile. Returns the function that unsubscribes. */
function whenPrinting(tell: (isPrinting: boolean) => void): () => void {
  let unfolded: HTMLDetailsElement[] = [];
  const before = (): void => {
    tell(true);
    unfolded = Array.from(document.querySelectorAll<HTMLDetailsElement>('details:not([open])'));
    for (const details of unfolded) details.open = true;
  };
  const after = (): void => {
    for (const details of unfolded) details.open = false;
    tell(false);
  };
  window.addEventListener('beforeprint', before);
  window.addEventListener('afterprint', after);
  return () => {
    window.removeEventListener('beforeprint', before);
    window.removeEventListener('afterprint', after);
  };
}
