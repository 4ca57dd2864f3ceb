import { EventSchema } from '@sentinel-node/contracts';
import type { Event } from '../answers.ts';
import { getDefaultStore, useAtomValue } from 'jotai';
import { useEffect } from 'react';
import { apiBase, endSession } from '../state/api.ts';
import { liveAtom, onLiveItem, startLive } from '../state/live.ts';
import { liveObject } from '../state/live-object.ts';
import { isOpenAlert } from '../state/open-alert.ts';
import { notify } from '../state/notices.ts';
import { refreshSession } from '../state/restore.ts';
import { userAtom } from '../state/session.ts';
import { eventTitle } from '../events/event-note.ts';
import { openAlert } from '../dashboard/HealthCard.tsx';

/** Shows a notice for an alert's event. The alert's own frames also come for shares, notes and transactions. */
function announce(event: Event): void {
  const { alertId, deviceId, deviceName, fileName, alert } = event;
  if (alertId === null || isOpenAlert(alertId)) return;
  // A resumed stream also tells of alerts that somebody has handled meanwhile.
  if (alert !== undefined && alert.status !== 'ACTIVE') return;
  notify({
    tone: 'danger',
    title: eventTitle(event, 'Alert'),
    text: `${fileName ?? '-'} on ${deviceName ?? '-'}`,
    action: { label: 'Show', run: () => openAlert({ id: alertId, deviceId }) },
  });
}

/** Reads the session again when another administrator has changed the person's role, or may have meanwhile. */
function useOwnRole(): void {
  const { generation } = useAtomValue(liveAtom);
  useEffect(() => {
    // The first generation is that of the start, which has just read the session.
    if (generation > 1) void refreshSession();
  }, [generation]);
  useEffect(
    () =>
      onLiveItem(({ kind, data }) => {
        const user = getDefaultStore().get(userAtom);
        if (kind === 'user' && data['id'] === user?.userId && data['role'] !== user?.userRole)
          void refreshSession();
      }),
    [],
  );
}

/** Follows the organisation's stream while a member is signed in, and shows a notice for every new alert. */
export function LiveConnection({ orgId, token }: { orgId: string; token: string }) {
  useOwnRole();
  useEffect(
    () => startLive(`${apiBase()}/stream/${encodeURIComponent(orgId)}`, token, () => endSession(token)),
    [orgId, token],
  );
  useEffect(() => {
    const announced = new Set<string>();
    return onLiveItem((item) => {
      const event = item.kind === 'event' ? liveObject(EventSchema, item) : null;
      if (event?.type !== 'ALERT' || announced.has(event.id)) return;
      if (announced.size >= ANNOUNCED_MAX) announced.clear();
      announced.add(event.id);
      announce(event);
    });
  }, []);
  return null;
}

/** Most remembered events, which prevent announcing an event twice. */
const ANNOUNCED_MAX = 1_000;
