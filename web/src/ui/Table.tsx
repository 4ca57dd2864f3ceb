import { useState, type ReactNode } from 'react';
import { Pager } from './Pager.tsx';

/** Rows of a page of a table. */
export const TABLE_PAGE_LENGTH = 10;

export interface Column<T> {
  header: string;
  cell: (row: T) => ReactNode;
  className?: string;
  /** A header only for assistive technology: the column of toggles, the column of menus. */
  hideHeader?: boolean;
}

interface TableProps<T> {
  label: string;
  rows: T[];
  columns: Column<T>[];
  rowKey: (row: T) => string;
  rowLabel?: (row: T) => string;
  onRow?: (row: T) => void;
  rowTone?: (row: T) => 'danger' | 'new' | undefined;
  /** Cells that stand in for a row's own, for example while it is edited. */
  rowInstead?: (row: T) => ReactNode;
  /** Cut into pages; without it all rows are shown. */
  paged?: boolean;
}

/**
 * A table that becomes a list of cards on a narrow screen. With `onRow` the first cell holds a button, so that what a
 * click on the row does can be reached by keyboard too.
 */
export function Table<T>(props: TableProps<T>) {
  const { rows, columns, rowKey, paged = false } = props;
  const [page, setPage] = useState(0);
  const pages = Math.max(1, Math.ceil(rows.length / TABLE_PAGE_LENGTH));
  const current = Math.min(page, pages - 1);
  const start = current * TABLE_PAGE_LENGTH;
  const shown = paged ? rows.slice(start, start + TABLE_PAGE_LENGTH) : rows;
  return (
    <>
      <table className="table" aria-label={props.label}>
        <thead>
          <tr>
            {columns.map((column) => (
              <th key={column.header} scope="col" className={column.className}>
                <span className={column.hideHeader ? 'visually-hidden' : undefined}>{column.header}</span>
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <Row key={rowKey(row)} row={row} {...props} />
          ))}
        </tbody>
      </table>
      {paged && pages > 1 && (
        <Pager
          page={current}
          pageLength={TABLE_PAGE_LENGTH}
          rows={rows.length}
          label={props.label}
          onPage={setPage}
        />
      )}
    </>
  );
}

function Row<T>({ row, columns, onRow, rowLabel, rowTone, rowInstead }: TableProps<T> & { row: T }) {
  const instead = rowInstead?.(row);
  if (instead) return <tr>{instead}</tr>;
  return (
    <tr
      className={onRow ? 'row-link' : undefined}
      data-tone={rowTone?.(row)}
      {...(onRow && { onClick: () => onRow(row) })}
    >
      {columns.map((column, index) => (
        <td key={column.header} className={column.className} data-label={column.header}>
          {index === 0 && onRow ? (
            <button type="button" className="row-button" aria-label={rowLabel?.(row)}>
              {column.cell(row)}
            </button>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
  );
}
