import type { ContactPart } from '@sentinel-node/contracts';
import { lazy, Suspense } from 'react';
import { Skeleton } from '../ui/States.tsx';
import { ChartCaption } from './ChartCaption.tsx';
import { contactColumns, contactText, type ContactColumn, type Part } from './activity.ts';

// Loaded last, as the chart of events.
const ContactChart = lazy(() =>
  import('./ContactChart.tsx').then(
    (module) => ({ default: module.ContactChart }),
    () => ({ default: NoChart }),
  ),
);

function NoChart() {
  return (
    <p className="muted" role="status">
      The chart of contact could not be loaded. Reload the page to try again.
    </p>
  );
}

const colours = [
  ['warning', 'Without contact'],
  ['waiting', 'Waiting'],
  ['success', 'In contact'],
  ['unknown', 'Not known'],
] as const;

interface ContactFigureProps {
  /** Word for several of the times. */
  unit: string;
  /** The times that are shown; undefined while unknown. */
  parts: readonly Part[] | undefined;
  looked: readonly ContactPart[] | undefined;
  /** Whether reading failed. */
  isLost: boolean;
}

/** Shows how many monitored files were in contact, waiting and lost at the server's worst look of each time. */
export function ContactFigure({ unit, parts, looked, isLost }: ContactFigureProps) {
  const columns = parts && looked && contactColumns(parts, looked);
  const isEmpty = columns?.every(({ files }) => files === null) ?? false;
  return (
    <>
      <div className="contact-title">
        <h3>Contact of monitored files</h3>
        <span className="muted num">
          {columns ? contactText(columns, unit) : isLost ? 'cannot be shown' : 'loading'}
        </span>
      </div>
      <figure className="activity contact">
        {columns === undefined && !isLost && <Skeleton lines={3} label="Loading the chart of contact" />}
        {isEmpty && (
          <p className="muted">
            The server looks four times an hour, for the first time some minutes after it started. What it did
            not look at stays empty.
          </p>
        )}
        {columns !== undefined && !isEmpty && (
          <Suspense fallback={<Skeleton lines={3} label="Loading the chart of contact" />}>
            <ContactChart columns={columns} />
          </Suspense>
        )}
        {columns !== undefined && !isEmpty && (
          <ChartCaption colours={colours} title="Contact as a table">
            <ContactTable columns={columns} />
          </ChartCaption>
        )}
      </figure>
    </>
  );
}

function ContactTable({ columns }: { columns: readonly ContactColumn[] }) {
  return (
    <table className="compact-table">
      <caption className="visually-hidden">
        Contact of monitored files by time, at the worst look of the server
      </caption>
      <thead>
        <tr>
          <th scope="col">Time</th>
          <th scope="col">In contact</th>
          <th scope="col">Waiting</th>
          <th scope="col">Without contact</th>
          <th scope="col">Looks</th>
        </tr>
      </thead>
      <tbody>
        {columns.map(({ start, label, files }) => (
          <tr key={start}>
            <th scope="row">{label}</th>
            {files === null ? (
              <td colSpan={4} className="muted">
                Not known
              </td>
            ) : (
              [files.inContact, files.waiting, files.lost, files.looks].map((count, at) => (
                <td key={at} className="num">
                  {count.toLocaleString('en-US')}
                </td>
              ))
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
