/** Reads the alerts of a filter and selects the matching ones from the stream. */
import {
  AlertSchema,
  ALERT_STATUSES,
  ALERT_TYPES,
  alertWords,
  CATEGORIES,
  containsText,
  NOBODY,
  YES_NO,
  searchedTimes,
  type AlertCountsQuery,
  type AlertStatus as Status,
  type ListOrder,
} from '@sentinel-node/contracts';
import type { Alert, DeviceListItem } from '../answers.ts';
import { useCallback } from 'react';
import { inRange, isMoving, rangeOf, type DateChoice } from '../date-range.ts';
import { shownDateTime } from '../format.ts';
import { isOneOf } from '../narrow.ts';
import { api } from '../state/api.ts';
import { deletedUserOf, withoutDeleted } from './assignee.ts';
import { serverNow } from '../state/clock.ts';
import { liveObject } from '../state/live-object.ts';
import { searchedZone, zoneName } from '../time-zone.ts';
import { useNow } from '../state/use-now.ts';
import { usePages } from '../state/use-pages.ts';
import { useSame } from '../state/use-same.ts';
import { TABLE_PAGE_LENGTH } from '../ui/Table.tsx';

/** Filter of alerts; an empty text matches every value. */
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
  /** Label of the device or the file. */
  label: string;
  /** yes or no. */
  planned: string;
  /** Id of a maintenance window. */
  window: string;
  /** yes or no. */
  expected: string;
  /** Id of a list of expected changes. */
  list: string;
  date: DateChoice;
}

export const noFilter: AlertFilter = {
  search: '',
  status: '',
  deviceId: '',
  type: '',
  category: '',
  fileId: '',
  handledBy: '',
  assignee: '',
  contentHash: '',
  label: '',
  planned: '',
  window: '',
  expected: '',
  list: '',
  date: { option: 'ALL' },
};

export const isFiltered = ({ search, date, ...rest }: AlertFilter): boolean =>
  search !== '' || date.option !== 'ALL' || Object.values(rest).some((value) => value !== '');

const isStatus = (value: string): value is Status => isOneOf(ALERT_STATUSES, value);

/** Returns the query for counts, without the search, which counts do not support. */
export function countedQueryOf(filter: AlertFilter): AlertCountsQuery {
  const { status, deviceId, type, category, fileId, handledBy, assignee, contentHash } = filter;
  const { label, planned, window, expected, list, date } = filter;
  return {
    ...rangeOf(date, serverNow()),
    ...(isStatus(status) && { status }),
    ...(isOneOf(ALERT_TYPES, type) && { type }),
    ...(isOneOf(CATEGORIES, category) && { category }),
    ...(deviceId !== '' && { deviceId }),
    ...(fileId !== '' && { fileId }),
    ...(handledBy !== '' && { handledBy }),
    ...(assignee !== '' && { assignee }),
    ...(contentHash !== '' && { contentHash }),
    ...(label !== '' && { label }),
    ...(isOneOf(YES_NO, planned) && { planned }),
    ...(window !== '' && { window }),
    ...(isOneOf(YES_NO, expected) && { expected }),
    ...(list !== '' && { list }),
  };
}

export const queryOf = (filter: AlertFilter) => ({
  ...countedQueryOf(filter),
  ...(filter.search !== '' && { search: filter.search, timeZone: zoneName() }),
});

/** Returns the searched texts: the row's and the API's names. */
const textsOf = (alert: Alert): string[] => [
  alert.id,
  alert.type,
  ...alertWords(alert),
  alert.deviceName,
  alert.fileName,
  ...searchedTimes(shownDateTime(alert.timestamp)),
];

/** Returns the known facts of a device; undefined when the device is unknown. */
type DeviceOf = (deviceId: string) => Pick<DeviceListItem, 'category' | 'labels'> | undefined;

/** Returns whether an alert matches; null when it does but for facts of its device or file that only the server knows. */
function matches(alert: Alert, filter: AlertFilter, deviceOf: DeviceOf): boolean | null {
  const own: [wanted: string, value: string | null | undefined][] = [
    [isStatus(filter.status) ? filter.status : '', alert.status],
    [filter.deviceId, alert.deviceId],
    [filter.type, alert.type],
    [filter.fileId, alert.fileId],
    [filter.handledBy, alert.overrideUser],
    [filter.assignee, alert.assignee?.userId ?? NOBODY],
    [filter.contentHash, alert.contentHash],
    [filter.planned, alert.planned === undefined ? 'no' : 'yes'],
    [filter.window, alert.planned?.windowId],
    [filter.expected, alert.expected === undefined ? 'no' : 'yes'],
    [filter.list, alert.expected?.listId],
  ];
  const isOwn =
    own.every(([wanted, value]) => wanted === '' || wanted === value) &&
    inRange(alert.timestamp, rangeOf(filter.date, serverNow())) &&
    containsText(textsOf(alert), filter.search);
  return isOwn && matchesDevice(filter, deviceOf(alert.deviceId));
}

function matchesDevice({ category, label }: AlertFilter, of: ReturnType<DeviceOf>): boolean | null {
  if (category !== '' && of !== undefined && of.category !== category) return false;
  const isOfCategory = category === '' || of !== undefined;
  // The label may be the file's, which is unknown here.
  const hasLabel = label === '' || of?.labels?.includes(label) === true;
  return isOfCategory && hasLabel ? true : null;
}

interface AlertsOptions {
  order: ListOrder;
  deviceOf: DeviceOf;
  /** Returns whether the list's top has left the screen. */
  isAway: () => boolean;
}

export function useAlerts(orgId: string, filter: AlertFilter, { order, deviceOf, isAway }: AlertsOptions) {
  const same = useSame(filter);
  const isPassing = isMoving(filter.date);
  const now = useNow(isPassing);
  const load = useCallback(
    async (
      lastId: string | undefined,
      signal: AbortSignal | undefined,
      limit: number = TABLE_PAGE_LENGTH,
    ) => {
      const query = { ...queryOf(same), ...(order !== 'newest' && { order }), limit };
      const page = await api().getAlerts(
        orgId,
        { ...query, ...(lastId !== undefined && { lastId }) },
        signal,
      );
      return { items: page.alerts, lastId: page.lastId };
    },
    [orgId, same, order],
  );
  return usePages<Alert>({
    key: `alerts ${orgId} ${order} ${searchedZone(filter.search)} ${JSON.stringify(filter)}`,
    order,
    load,
    read: (item) => (item.kind === 'alert' ? liveObject(AlertSchema, item) : null),
    matches: (alert) => matches(alert, filter, deviceOf),
    patch: withoutDeleted,
    isPast: isPassing ? (alert) => !inRange(alert.timestamp, rangeOf(filter.date, now)) : undefined,
    isBehind: (item) => filter.assignee !== '' && deletedUserOf(item) !== null,
    holds: () => isFiltered(filter) || isAway(),
  });
}
