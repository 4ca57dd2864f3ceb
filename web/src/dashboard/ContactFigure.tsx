import type { ContactPart } from '@sentinel-node/contracts';
import { axisEnd, contactColumns, contactText, type ContactColumn, type Part } from '../activity.ts';
import { ChartFigure } from './ChartFigure.tsx';
import type { TimeChartProps } from './time-chart.ts';

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
      <ChartFigure
        name="chart of contact"
        className="contact"
        chart={columns && chartOf(columns)}
        isLost={isLost}
        title="Contact as a table"
        {...(isEmpty && { instead: <NoLook /> })}
      >
        {columns && <ContactTable columns={columns} />}
      </ChartFigure>
    </>
  );
}

function NoLook() {
  return (
    <p className="muted">
      The server looks four times an hour, for the first time some minutes after it started. What it did not
      look at stays empty.
    </p>
  );
}

/** Returns a bar per time: files without contact, waiting and in contact; hatching where nothing is known. */
function chartOf(columns: readonly ContactColumn[]): TimeChartProps {
  const all = columns.map(({ files }) => (files ? files.inContact + files.waiting + files.lost : 0));
  const end = axisEnd(Math.max(1, ...all));
  const of = (state: 'lost' | 'waiting' | 'inContact') => columns.map(({ files }) => files?.[state]);
  const unknown = columns.map(({ files }) => (files === null ? end : undefined));
  return {
    columns,
    series: [
      { colour: 'warning', name: 'Without contact', values: of('lost') },
      { colour: 'waiting', name: 'Waiting', values: of('waiting') },
      { colour: 'success', name: 'In contact', values: of('inContact') },
      { colour: 'unknown', name: 'Not known', values: unknown, text: 'the server did not look' },
    ],
    end,
  };
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
