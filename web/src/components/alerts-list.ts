/** The alerts that a filter asks for: how they are read, and which of the stream's belong to them. */
import {
  AlertSchema,
  ALERT_STATUSES,
  alertWords,
  holdsText,
  searchedTimes,
  type Alert,
  type AlertStatus as Status,
} from '@sentinel-node/contracts';
import { useCallback } from 'react';
import { inRange, rangeOf, type DateChoice } from '../date-range.ts';
import { shownDateTime } from '../format.ts';
import { isOneOf } from '../narrow.ts';
import { api } from '../state/api.ts';
import { liveObject } from '../state/live-object.ts';
import { zoneName } from '../time-zone.ts';
import { usePages } from '../state/use-pages.ts';
import { useSame } from '../state/use-same.ts';
import { TABLE_PAGE_LENGTH } from '../ui/Table.tsx';

export interface AlertFilter {
  search: string;
  /** Empty: all statuses. */
  status: string;
  /** Empty: all devices. */
  deviceId: string;
  date: DateChoice;
}

export const isFiltered = ({ search, status, deviceId, date }: AlertFilter): boolean =>
  search !== '' || status !== '' || deviceId !== '' || date.option !== 'ALL';

const isStatus = (value: string): value is Status => isOneOf(ALERT_STATUSES, value);

export function queryOf({ search, status, deviceId, date }: AlertFilter) {
  return {
    ...rangeOf(date, Date.now()),
    ...(search !== '' && { search, timeZone: zoneName() }),
    ...(isStatus(status) && { status }),
    ...(deviceId !== '' && { deviceId }),
  };
}

/** What a search goes through: what the row shows, and what the API calls it. */
const textsOf = (alert: Alert): string[] => [
  alert.id,
  alert.type,
  ...alertWords(alert),
  alert.deviceName,
  alert.fileName,
  ...searchedTimes(shownDateTime(alert.timestamp)),
];

const matches = (alert: Alert, filter: AlertFilter): boolean =>
  (!isStatus(filter.status) || alert.status === filter.status) &&
  (filter.deviceId === '' || alert.deviceId === filter.deviceId) &&
  inRange(alert.timestamp, rangeOf(filter.date, Date.now())) &&
  holdsText(textsOf(alert), filter.search);

/** @param isAway whether the list's top has left the screen */
export function useAlerts(orgId: string, filter: AlertFilter, isAway: () => boolean) {
  const same = useSame(filter);
  const load = useCallback(
    async (
      lastId: string | undefined,
      signal: AbortSignal | undefined,
      limit: number = TABLE_PAGE_LENGTH,
    ) => {
      const query = { ...queryOf(same), limit };
      const page = await api().getAlerts(
        orgId,
        { ...query, ...(lastId !== undefined && { lastId }) },
        signal,
      );
      return { items: page.alerts, lastId: page.lastId };
    },
    [orgId, same],
  );
  return usePages<Alert>({
    key: `alerts ${orgId} ${JSON.stringify(filter)}`,
    load,
    read: (item) => (item.kind === 'alert' ? liveObject(AlertSchema, item) : null),
    matches: (alert) => matches(alert, filter),
    holds: () => isFiltered(filter) || isAway(),
  });
}
