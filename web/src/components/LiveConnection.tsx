import { AlertSchema } from '@sentinel-node/contracts';
import { useEffect } from 'react';
import { alertName } from '../format.ts';
import { apiBase, endSession } from '../state/api.ts';
import { onLiveItem, startLive, type LiveItem } from '../state/live.ts';
import { liveObject } from '../state/live-object.ts';
import { notify } from '../state/notices.ts';
import { openAlert } from './HealthCard.tsx';

function announce(item: LiveItem): void {
  const alert = item.kind === 'alert' ? liveObject(AlertSchema, item) : null;
  if (alert === null || alert.status !== 'ACTIVE' || alert.occurrences > 1 || alert.bsvTransactionID !== null)
    return;
  notify({
    tone: 'danger',
    title: alertName[alert.type],
    text: `${alert.fileName} on ${alert.deviceName}`,
    action: { label: 'Show', run: () => openAlert(alert) },
  });
}

/** Follows the organisation's stream while somebody of it is signed in, and tells of every new alert. */
export function LiveConnection({ orgId, token }: { orgId: string; token: string }) {
  useEffect(
    () => startLive(`${apiBase()}/stream/${encodeURIComponent(orgId)}`, token, () => endSession(token)),
    [orgId, token],
  );
  useEffect(() => {
    const announced = new Set<unknown>();
    return onLiveItem((item) => {
      const { id } = item.data;
      if (announced.has(id)) return;
      if (announced.size >= ANNOUNCED_MAX) announced.clear();
      if (item.kind === 'alert') announced.add(id);
      announce(item);
    });
  }, []);
  return null;
}

/** Alerts whose announcement is remembered. */
const ANNOUNCED_MAX = 1_000;
