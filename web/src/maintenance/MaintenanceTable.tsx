import { tokenLook, TokenStateBadge } from '../components/TokensTable.tsx';
import { LIMITS } from '@sentinel-node/contracts';
import type { Maintenance } from '../answers.ts';
import { plural } from '../format.ts';
import { paths } from '../paths.ts';
import { navigate } from '../state/guard.ts';
import type { DeviceNames } from '../state/device-names.ts';
import { useUrlPage } from '../state/use-url-page.ts';
import { Table, type Column } from '../ui/Table.tsx';
import { maintenanceLook, scopeWords, weeklyWords } from '../components/maintenance-words.ts';
import { Stamp } from '../components/Moment.tsx';

interface MaintenanceTableProps {
  windows: Maintenance[];
  nameOf: DeviceNames;
  /** Returns the number of active alerts of a window; undefined while it is not known. */
  activeOf: (windowId: string) => number | undefined;
}

const CUT_TEXT = `The newest ${LIMITS.pageItems} are listed, all that are not over, and those that wait for their review.`;

/** Lists maintenance windows, newest first; a row leads to the window's page. */
export function MaintenanceTable({ windows, nameOf, activeOf }: MaintenanceTableProps) {
  const hrefOf = ({ id }: Maintenance): string => paths.maintenanceWindow(id);
  const columns: Column<Maintenance>[] = [
    {
      header: 'Window',
      cell: ({ reason, createdBy }) => (
        <>
          <strong>{reason}</strong>
          <br />
          <span className="muted">{`by ${createdBy}`}</span>
        </>
      ),
      className: 'cell-text',
    },
    { header: 'State', cell: ({ state }) => <MaintenanceBadge state={state} /> },
    { header: 'Covers', cell: ({ scope }) => scopeWords(scope, nameOf), className: 'cell-text' },
    { header: 'Time', cell: (window) => <MaintenanceTime window={window} /> },
    {
      header: 'Active alerts',
      cell: ({ id }) => {
        const active = activeOf(id);
        return active === undefined ? '–' : plural(active, 'alert');
      },
    },
  ];
  return (
    <Table
      label="Maintenance windows"
      rows={windows}
      columns={columns}
      rowKey={({ id }) => id}
      onRow={(window) => navigate(hrefOf(window))}
      rowHref={hrefOf}
      paged
      cut={{ at: LIMITS.pageItems, text: CUT_TEXT }}
      {...useUrlPage()}
    />
  );
}

export function MaintenanceBadge({ state }: Pick<Maintenance, 'state'>) {
  return <TokenStateBadge {...tokenLook(maintenanceLook, state)} />;
}

export function MaintenanceTime({ window }: { window: Maintenance }) {
  return (
    <div>
      <Stamp at={window.start} /> – <Stamp at={window.ended ?? window.end} />
      {window.weekly !== null && (
        <>
          <br />
          <span className="muted">{weeklyWords(window.weekly)}</span>
        </>
      )}
    </div>
  );
}
