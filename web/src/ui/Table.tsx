import { useState, type MouseEvent, type ReactNode } from 'react';
import { Pager } from './Pager.tsx';
import { RowLink, wantsNewTab } from './RowLink.tsx';

/** Rows of a page of a table. */
export const TABLE_PAGE_LENGTH = 10;

export interface Column<T> {
  header: string;
  cell: (row: T) => ReactNode;
  className?: string;
  /** A header only for assistive technology: the column of toggles, the column of menus. */
  hideHeader?: boolean;
}

/** Rows that can be chosen, by a box before the first cell's content. */
export interface RowChoice<T> {
  /** Null: this row cannot be chosen. */
  isChosen: (row: T) => boolean | null;
  /** @param isRange also what lies between it and the row that was chosen last */
  onChoose: (row: T, on: boolean, isRange: boolean) => void;
  label: (row: T) => string;
}

interface TableProps<T> {
  label: string;
  rows: T[];
  columns: Column<T>[];
  rowKey: (row: T) => string;
  rowLabel?: (row: T) => string;
  onRow?: (row: T) => void;
  /** The address of what `onRow` opens: the row is a link that can be copied, and opened in another tab. */
  rowHref?: (row: T) => string;
  choice?: RowChoice<T>;
  rowTone?: (row: T) => 'danger' | 'new' | undefined;
  /** Cells that stand in for a row's own, for example while it is edited. */
  rowInstead?: (row: T) => ReactNode;
  /** On a narrow screen a row takes few lines, without the headers of its cells. */
  dense?: boolean;
  /** Cut into pages; without it all rows are shown. */
  paged?: boolean;
  /** The page, from 0, when it is kept elsewhere. */
  page?: number;
  onPage?: (page: number) => void;
}

/**
 * A table that becomes a list of cards on a narrow screen. With `onRow` the first cell holds a button, so that what a
 * click on the row does can be reached by keyboard too.
 */
export function Table<T>(props: TableProps<T>) {
  const { rows, columns, rowKey, paged = false } = props;
  const [ownPage, setOwnPage] = useState(0);
  const { page = ownPage, onPage = setOwnPage } = props;
  const pages = Math.max(1, Math.ceil(rows.length / TABLE_PAGE_LENGTH));
  const current = Math.min(page, pages - 1);
  const start = current * TABLE_PAGE_LENGTH;
  const shown = paged ? rows.slice(start, start + TABLE_PAGE_LENGTH) : rows;
  return (
    <>
      <table className={`table${props.dense ? ' table-dense' : ''}`} aria-label={props.label}>
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
          onPage={onPage}
        />
      )}
    </>
  );
}

function Row<T>(props: TableProps<T> & { row: T }) {
  const { row, columns, onRow, rowHref, rowTone, rowInstead } = props;
  const instead = rowInstead?.(row);
  if (instead) return <tr>{instead}</tr>;
  const openElsewhere = (event: MouseEvent): void => {
    if (rowHref !== undefined && !isOnLink(event)) window.open(rowHref(row), '_blank', 'noopener');
  };
  const open = (event: MouseEvent): void => {
    if (event.defaultPrevented) return;
    if (rowHref !== undefined && wantsNewTab(event)) openElsewhere(event);
    else onRow?.(row);
  };
  return (
    <tr
      className={onRow ? 'row-link' : undefined}
      data-tone={rowTone?.(row)}
      {...(onRow && { onClick: open })}
      {...(rowHref && { onAuxClick: (event) => event.button === 1 && openElsewhere(event) })}
    >
      {columns.map((column, index) => (
        <td key={column.header} className={column.className} data-label={column.header}>
          {index === 0 ? <FirstCell {...props}>{column.cell(row)}</FirstCell> : column.cell(row)}
        </td>
      ))}
    </tr>
  );
}

const isOnLink = ({ target }: MouseEvent): boolean =>
  target instanceof Element && target.closest('a') !== null;

interface FirstCellProps<T> extends TableProps<T> {
  row: T;
  children: ReactNode;
}

function ChoiceBox<T>({ row, choice }: { row: T; choice: RowChoice<T> }) {
  const isChosen = choice.isChosen(row);
  if (isChosen === null) return <span className="choice-box" aria-hidden="true" />;
  return (
    <label className="choice-box" onClick={(event) => event.stopPropagation()}>
      <input
        type="checkbox"
        aria-label={choice.label(row)}
        checked={isChosen}
        onChange={() => undefined}
        onClick={(event) => choice.onChoose(row, !isChosen, event.shiftKey)}
      />
    </label>
  );
}

function FirstCell<T>(props: FirstCellProps<T>) {
  const { row, onRow, rowHref, rowLabel, choice, children } = props;
  if (onRow === undefined) return children;
  if (choice !== undefined) {
    const { choice: _choice, ...rest } = props;
    return (
      <span className="row-choice">
        <ChoiceBox row={props.row} choice={choice} />
        <FirstCell {...rest} />
      </span>
    );
  }
  const label = rowLabel?.(row);
  if (rowHref === undefined) {
    return (
      <button type="button" className="row-button" aria-label={label}>
        {children}
      </button>
    );
  }
  return (
    <RowLink href={rowHref(row)} label={label} onOpen={() => onRow(row)}>
      {children}
    </RowLink>
  );
}
