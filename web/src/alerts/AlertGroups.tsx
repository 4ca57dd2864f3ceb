import {
  type AlertGroup,
  type AlertGrouping,
  type AlertGroups as Groups,
  ALERT_TYPES,
  LIMITS,
} from '@sentinel-node/contracts';
import { useEffect, useRef, useState } from 'react';
import { messageOf } from '../errors.ts';
import { alertName, plural, wordFor } from '../format.ts';
import { isOneOf } from '../narrow.ts';
import { api } from '../state/api.ts';
import { deletedUserOf } from './assignee.ts';
import { addressWith } from '../state/url.ts';
import { navigate } from '../state/guard.ts';
import { readEveryMs, useReadAgain } from '../state/use-read-again.ts';
import { RELOAD, useResource } from '../state/use-resource.ts';
import { Button } from '../ui/Button.tsx';
import { MoreExist } from '../ui/MoreExist.tsx';
import { EmptyState, ErrorState, Skeleton } from '../ui/States.tsx';
import { Table, type Column } from '../ui/Table.tsx';
import { groupings } from './alert-groupings.ts';
import { countedQueryOf, type AlertFilter } from './alerts-list.ts';
import { Time } from '../events/EventTable.tsx';

const STEP = 50;

const WITHOUT_CONTENT = 'Alerts without content, as of a missing file, are in no group.';

interface AlertGroupsProps {
  orgId: string;
  filter: AlertFilter;
  by: AlertGrouping;
  /** Address with a query of the list that shows a group; default: this page. */
  within?: string;
}

/** Shows the filtered alerts in groups. A row leads to its alerts, where all can be chosen. */
export function AlertGroups({ orgId, filter, by, within }: AlertGroupsProps) {
  const [limit, setLimit] = useState(STEP);
  const resource = useResource<Groups>({
    key: `groups ${orgId} ${by} ${JSON.stringify(filter)}`,
    load: (signal) => api().getAlertGroups(orgId, { ...countedQueryOf(filter), by, limit }, signal),
    apply: (groups, item) => (item.kind === 'alert' || deletedUserOf(item) !== null ? RELOAD : groups),
  });
  const { data, error, loading, reload, readAgain } = resource;
  useReadAgain(readAgain, readEveryMs(filter.date));
  const read = useRef(limit);
  useEffect(() => {
    if (read.current !== limit) reload();
    read.current = limit;
  }, [limit, reload]);
  if (loading) return <Skeleton lines={8} label="Loading groups" />;
  if (data === undefined)
    return <ErrorState title="Groups cannot be shown" message={messageOf(error)} onRetry={reload} />;
  // The server groups by content what has content: of other alerts nothing is said here.
  const without = by === 'CHANGE' && WITHOUT_CONTENT;
  if (data.total === 0)
    return (
      <EmptyState icon="search" title={emptyTitle(by, within)}>
        {without}
      </EmptyState>
    );
  const hrefOf = ({ key }: AlertGroup): string => {
    const { parameter } = groupings[by];
    if (within === undefined) return addressWith({ group: null, [parameter]: key });
    return `${within}&${new URLSearchParams({ [parameter]: key })}`;
  };
  const left = Math.min(data.total, LIMITS.pageItems) - data.groups.length;
  return (
    <>
      {filter.search !== '' && (
        <p className="muted alert-total">
          Groups are not searched: they are of all alerts that the filters leave.
        </p>
      )}
      {without && <p className="muted alert-total">{without}</p>}
      <Table
        label="Groups of alerts"
        rows={data.groups}
        columns={columnsOf(by)}
        rowKey={({ key }) => key}
        onRow={(group) => navigate(hrefOf(group))}
        rowHref={hrefOf}
        rowTone={({ active }) => (active > 0 ? 'danger' : undefined)}
      />
      {data.total > data.groups.length && <MoreExist />}
      {left > 0 && (
        <div className="load-more">
          <Button small onClick={() => setLimit(Math.min(limit + STEP, LIMITS.pageItems))}>
            Load more
          </Button>
        </div>
      )}
      {data.total > LIMITS.pageItems && (
        <p className="muted alert-total">{`${plural(data.total, 'group')}: filters find the rest.`}</p>
      )}
    </>
  );
}

function emptyTitle(by: AlertGrouping, within: string | undefined): string {
  const alert = by === 'CHANGE' ? 'alert with content' : 'alert';
  return within === undefined ? `No ${alert} matches.` : `No ${alert} was raised in it so far.`;
}

const number = (count: number) => <span className="num">{count.toLocaleString('en-US')}</span>;

const columnsOf = (by: AlertGrouping): Column<AlertGroup>[] => [
  {
    header: groupings[by].header,
    cell: (group) => <strong>{nameOf(group, by)}</strong>,
    className: 'cell-text',
  },
  { header: 'Alerts', cell: ({ alerts }) => number(alerts) },
  { header: 'Active', cell: ({ active }) => number(active) },
  ...(by === 'DEVICE' || by === 'FILE'
    ? []
    : [{ header: 'Devices', cell: ({ devices }: AlertGroup) => number(devices) }]),
  ...(by === 'FILE' ? [] : [{ header: 'Files', cell: ({ files }: AlertGroup) => number(files) }]),
  { header: 'Newest', cell: ({ newest }) => <Time timestamp={newest} />, className: 'cell-time' },
];

function nameOf({ name, key, deviceName, files }: AlertGroup, by: AlertGrouping): string {
  if (by === 'TYPE' && isOneOf(ALERT_TYPES, key)) return wordFor(alertName, key);
  if (by === 'FILE') return `${name} on ${deviceName}`;
  if (by === 'CHANGE') return files > 1 ? `${name} and ${plural(files - 1, 'other file')}` : name;
  return name;
}
