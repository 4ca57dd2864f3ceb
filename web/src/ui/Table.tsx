import { memo, useRef, useState, type FocusEvent, type MouseEvent, type ReactNode } from 'react';
import { Pager } from './Pager.tsx';
import { roomOf, spansWith } from './row-window.ts';
import { RowLink, wantsNewTab } from './RowLink.tsx';
import { useRowWindow } from './use-row-window.ts';

/** Rows of a page of a table, and of a page of a list that is read on. */
export const TABLE_PAGE_LENGTH = 10;

export interface Column<T> {
  header: string;
  cell: (row: T) => ReactNode;
  className?: string;
  /** A header only for assistive technology: the column of toggles, the column of menus. */
  hideHeader?: boolean;
  /** The rows are in the order of this column. */
  sorted?: 'ascending' | 'descending' | undefined;
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
  /** Compact: more rows on a screen. */
  density?: 'comfortable' | 'compact';
  /** Cut into pages; without it all rows are shown. */
  paged?: boolean;
  /** The page, from 0, when it is kept elsewhere. */
  page?: number;
  onPage?: (page: number) => void;
  pageLength?: number;
  /** Absent: the length cannot be chosen. */
  onPageLength?: (rows: number) => void;
}

/**
 * A table that becomes a list of cards on a narrow screen. With `onRow` the first cell holds a button, so that what a
 * click on the row does can be reached by keyboard too. Of very many rows only those near the screen are in the page;
 * assistive technology is told how many there are, and the number of each.
 */
export function Table<T>(props: TableProps<T>) {
  const { rows, columns, paged = false, pageLength = TABLE_PAGE_LENGTH } = props;
  const [ownPage, setOwnPage] = useState(0);
  const { page = ownPage, onPage = setOwnPage } = props;
  const pages = Math.max(1, Math.ceil(rows.length / pageLength));
  const current = Math.min(page, pages - 1);
  const start = paged ? current * pageLength : 0;
  const end = paged ? Math.min(rows.length, start + pageLength) : rows.length;
  return (
    <>
      <table
        className={`table${props.dense ? ' table-dense' : ''}${props.density === 'compact' ? ' table-compact' : ''}`}
        aria-label={props.label}
        aria-rowcount={rows.length + 1}
      >
        <thead>
          <tr aria-rowindex={1}>
            {columns.map((column) => (
              <th key={column.header} scope="col" className={column.className} aria-sort={column.sorted}>
                <span className={column.hideHeader ? 'visually-hidden' : undefined}>{column.header}</span>
              </th>
            ))}
          </tr>
        </thead>
        <Body table={props} start={start} end={end} />
      </table>
      {paged && rows.length > TABLE_PAGE_LENGTH && (
        <Pager
          page={current}
          pageLength={pageLength}
          rows={rows.length}
          label={props.label}
          onPage={onPage}
          onPageLength={props.onPageLength}
        />
      )}
    </>
  );
}

interface BodyProps<T> {
  table: TableProps<T>;
  /** Rows from `start` to before `end` are the page's. */
  start: number;
  end: number;
}

function Body<T>({ table, start, end }: BodyProps<T>) {
  const { rows, rowKey, columns } = table;
  const body = useRef<HTMLTableSectionElement>(null);
  const window = useRowWindow(body, end - start);
  const [focused, setFocused] = useState<string | null>(null);
  const isPart = window.to - window.from < end - start;
  const kept = isPart && focused !== null ? rows.findIndex((row) => rowKey(row) === focused) - start : -1;
  const onFocus = ({ target }: FocusEvent): void => {
    const index = target.closest('tr')?.dataset['row'];
    const row = index === undefined ? undefined : rows[start + Number(index)];
    setFocused(row === undefined ? null : rowKey(row));
  };
  const parts: ReactNode[] = [];
  let at = 0;
  const leaveRoom = (to: number): void => {
    const room = roomOf(window, { from: at, to });
    if (room > 0) parts.push(<Room key={`room ${parts.length}`} height={room} columns={columns.length} />);
  };
  for (const { from, to } of spansWith({ from: window.from, to: Math.min(window.to, end - start) }, kept)) {
    leaveRoom(from);
    for (let index = from; index < to; index++) {
      const row = rows[start + index];
      if (row === undefined) continue;
      parts.push(<Row key={rowKey(row)} row={row} table={table} index={index} number={start + index} />);
    }
    at = to;
  }
  leaveRoom(end - start);
  return (
    <tbody ref={body} onFocus={onFocus} onBlur={() => setFocused(null)}>
      {parts}
    </tbody>
  );
}

/** Stands in for rows that are not in the page. Chromium keeps an earlier height of a cell, so that its content has it. */
function Room({ height, columns }: { height: number; columns: number }) {
  return (
    <tr className="row-room" aria-hidden="true">
      <td colSpan={columns}>
        <div style={{ height }} />
      </td>
    </tr>
  );
}

interface RowProps<T> {
  row: T;
  table: TableProps<T>;
  /** In the part of the table that is shown, from 0. */
  index: number;
  /** In the whole table, from 0. */
  number: number;
}

function AnyRow<T>({ row, table, index, number }: RowProps<T>) {
  const { columns, onRow, rowHref, rowTone, rowInstead } = table;
  const place = { 'data-row': index, 'aria-rowindex': number + 2 };
  const instead = rowInstead?.(row);
  if (instead) return <tr {...place}>{instead}</tr>;
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
      {...place}
      className={onRow ? 'row-link' : undefined}
      data-tone={rowTone?.(row)}
      {...(onRow && { onClick: open })}
      {...(rowHref && { onAuxClick: (event) => event.button === 1 && openElsewhere(event) })}
    >
      {columns.map((column, at) => (
        <td key={column.header} className={column.className} data-label={column.header}>
          {at === 0 ? (
            <FirstCell {...table} row={row}>
              {column.cell(row)}
            </FirstCell>
          ) : (
            column.cell(row)
          )}
        </td>
      ))}
    </tr>
  );
}

/** While the table scrolls, only rows that come into the page are made. */
// eslint-disable-next-line @typescript-eslint/no-unsafe-type-assertion -- memo forgets that the component is generic
const Row = memo(AnyRow) as typeof AnyRow;

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
