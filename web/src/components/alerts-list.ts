/** The alerts that a filter asks for: how they are read, and which of the stream's belong to them. */
import {
  AlertSchema,
  ALERT_STATUSES,
  ALERT_TYPES,
  alertWords,
  CATEGORIES,
  holdsText,
  NOBODY,
  searchedTimes,
  type Alert,
  type AlertCountsQuery,
  type AlertStatus as Status,
  type Category,
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

/** Empty texts: whatever the value is. */
export interface AlertFilter {
  search: string;
  status: string;
  deviceId: string;
  type: string;
  category: string;
  fileId: string;
  handledBy: string;
  /** Id of a user, or `NOBODY`. */
  assignee: string;
  contentHash: string;
  date: DateChoice;
}

export const isFiltered = ({ search, date, ...rest }: AlertFilter): boolean =>
  search !== '' || date.option !== 'ALL' || Object.values(rest).some((value) => value !== '');

const isStatus = (value: string): value is Status => isOneOf(ALERT_STATUSES, value);

/** Without the search, of which nothing is counted. */
export function countedQueryOf(filter: AlertFilter): AlertCountsQuery {
  const { status, deviceId, type, category, fileId, handledBy, assignee, contentHash, date } = filter;
  return {
    ...rangeOf(date, Date.now()),
    ...(isStatus(status) && { status }),
    ...(isOneOf(ALERT_TYPES, type) && { type }),
    ...(isOneOf(CATEGORIES, category) && { category }),
    ...(deviceId !== '' && { deviceId }),
    ...(fileId !== '' && { fileId }),
    ...(handledBy !== '' && { handledBy }),
    ...(assignee !== '' && { assignee }),
    ...(contentHash !== '' && { contentHash }),
  };
}

export const queryOf = (filter: AlertFilter) => ({
  ...countedQueryOf(filter),
  ...(filter.search !== '' && { search: filter.search, timeZone: zoneName() }),
});

/** What a search goes through: what the row shows, and what the API calls it. */
const textsOf = (alert: Alert): string[] => [
  alert.id,
  alert.type,
  ...alertWords(alert),
  alert.deviceName,
  alert.fileName,
  ...searchedTimes(shownDateTime(alert.timestamp)),
];

type CategoryOf = (deviceId: string) => Category | undefined;

function matches(alert: Alert, filter: AlertFilter, categoryOf: CategoryOf): boolean {
  const own: [wanted: string, value: string | null | undefined][] = [
    [isStatus(filter.status) ? filter.status : '', alert.status],
    [filter.deviceId, alert.deviceId],
    [filter.type, alert.type],
    [filter.category, categoryOf(alert.deviceId)],
    [filter.fileId, alert.fileId],
    [filter.handledBy, alert.overrideUser],
    [filter.assignee, alert.assignee?.userId ?? NOBODY],
    [filter.contentHash, alert.contentHash],
  ];
  return (
    own.every(([wanted, value]) => wanted === '' || wanted === value) &&
    inRange(alert.timestamp, rangeOf(filter.date, Date.now())) &&
    holdsText(textsOf(alert), filter.search)
  );
}

interface AlertsOptions {
  /** Of a device; undefined: it is not known. */
  categoryOf: CategoryOf;
  /** Whether the list's top has left the screen. */
  isAway: () => boolean;
}

export function useAlerts(orgId: string, filter: AlertFilter, { categoryOf, isAway }: AlertsOptions) {
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
    matches: (alert) => matches(alert, filter, categoryOf),
    holds: () => isFiltered(filter) || isAway(),
  });
}
