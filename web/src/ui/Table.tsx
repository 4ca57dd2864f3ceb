import { visible } from '@sentinel-node/contracts';
import {
  memo,
  useEffect,
  useLayoutEffect,
  useRef,
  useState,
  type FocusEvent,
  type MouseEvent,
  type ReactNode,
} from 'react';
import { focusPage } from './focus-on.ts';
import { Pager } from './Pager.tsx';
import { roomOf, renderedSpans } from './row-window.ts';
import { RowLink, wantsNewTab } from './RowLink.tsx';
import { useMarkCut } from './use-mark-cut.ts';
import { useRowWindow } from './use-row-window.ts';
import { shown } from './shown.ts';

/** Default number of rows of a page. */
export const TABLE_PAGE_LENGTH = 10;
/** From so many columns on, headers and badges break, and a window that is still too narrow scrolls the table sideways. */
const WIDE_COLUMNS = 8;

export interface Column<T> {
  header: string;
  cell: (row: T) => ReactNode;
  className?: string;
  /** Shows the header only to assistive technology, for columns of toggles or menus. */
  hideHeader?: boolean;
  /** Direction of the order when the rows are sorted by this column. */
  sorted?: 'ascending' | 'descending' | undefined;
}

/** Choice of rows by a checkbox before the first cell's content. */
export interface RowChoice<T> {
  /** Returns whether the row is chosen; null when it cannot be chosen. */
  isChosen: (row: T) => boolean | null;
  /** @param isRange also chooses the rows since the last chosen one */
  onChoose: (row: T, on: boolean, isRange: boolean) => void;
  label: (row: T) => string;
}

/** End of a list that the server cuts. */
export interface ListCut {
  /** Most rows that the list has; with so many, others may exist. */
  readonly at: number;
  /** Says which rows are listed. */
  readonly text: string;
}

interface TableProps<T> {
  label: string;
  rows: T[];
  columns: Column<T>[];
  rowKey: (row: T) => string;
  rowLabel?: (row: T) => string;
  onRow?: (row: T) => void;
  /** Address that `onRow` opens, which makes the row a link for copying and other tabs. */
  rowHref?: (row: T) => string;
  choice?: RowChoice<T>;
  rowTone?: (row: T) => 'danger' | 'new' | undefined;
  /** Replaces a row's cells, for example while the row is edited. */
  rowInstead?: (row: T) => ReactNode;
  /** On a narrow screen, shows rows in few lines without the headers of their cells. */
  dense?: boolean;
  /** `compact` fits more rows on a screen. */
  density?: 'comfortable' | 'compact';
  /** The name of the rows, such as `devices`; by default the label in lower case. */
  unit?: string;
  /** Says that rows may be missing, when the list is so long. */
  cut?: ListCut;
  /** Splits the rows into pages; otherwise shows all rows. */
  paged?: boolean;
  /** The page, from 0, when the parent controls it. */
  page?: number;
  onPage?: (page: number) => void;
  pageLength?: number;
  /** Absent when the person cannot choose the length. */
  onPageLength?: (rows: number) => void;
}

/**
 * A table that becomes a list of cards on a narrow screen. With `onRow` the first cell contains a button, so that the
 * keyboard can do the same as a click on the row. A very long table renders only the rows near the screen; assistive
 * technology gets the number of rows and the index of each.
 */
export function Table<T>(props: TableProps<T>) {
  const { rows, columns, paged = false, pageLength = TABLE_PAGE_LENGTH } = props;
  const [ownPage, setOwnPage] = useState(0);
  const table = useRef<HTMLTableElement>(null);
  useMarkCut(table, columns.length >= WIDE_COLUMNS);
  const { page = ownPage, onPage = setOwnPage } = props;
  const pages = Math.max(1, Math.ceil(rows.length / pageLength));
  const current = Math.min(page, pages - 1);
  const start = paged ? current * pageLength : 0;
  const end = paged ? Math.min(rows.length, start + pageLength) : rows.length;
  const cut = props.cut !== undefined && rows.length >= props.cut.at ? props.cut : null;
  return (
    <>
      <table
        ref={table}
        className={classesOf(props)}
        aria-label={visible(props.label)}
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
      {cut !== null && <p className="muted table-cut">{cut.text}</p>}
      {paged && rows.length > TABLE_PAGE_LENGTH && (
        <Pager
          page={current}
          pageLength={pageLength}
          rows={rows.length}
          isCut={cut !== null}
          label={props.label}
          unit={props.unit ?? props.label.toLowerCase()}
          onPage={onPage}
          onPageLength={props.onPageLength}
        />
      )}
    </>
  );
}

function classesOf<T>({ dense, density, columns }: TableProps<T>): string {
  const marks = {
    'table-dense': dense === true,
    'table-compact': density === 'compact',
    'table-wide': columns.length >= WIDE_COLUMNS,
  };
  return ['table', ...Object.entries(marks).flatMap(([mark, has]) => (has ? [mark] : []))].join(' ');
}

interface BodyProps<T> {
  table: TableProps<T>;
  /** The page has the rows from `start` to before `end`. */
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
  const place = useRef(0);
  // The focused element may be gone, as with a deleted row: the focus moves to the row in its place.
  useLayoutEffect(() => {
    if (focused === null || document.activeElement !== document.body) return;
    const at = Math.min(place.current, end - start - 1);
    const row = body.current?.querySelector<HTMLElement>(`[data-row="${at}"]`);
    if (row === undefined || row === null) return focusPage();
    const next =
      row.querySelector<HTMLElement>('.cell-actions button') ?? row.querySelector<HTMLElement>('a, button');
    // A row may have had only the button that is gone, such as the one that ended a token.
    if (next === null) row.tabIndex = -1;
    (next ?? row).focus();
  });
  // The table goes with its last row where a text stands in its place.
  const hasFocus = useRef(false);
  useLayoutEffect(() => {
    hasFocus.current = focused !== null;
  });
  useEffect(
    () => () => {
      if (hasFocus.current && document.activeElement === document.body) focusPage();
    },
    [],
  );
  const onFocus = ({ target }: FocusEvent): void => {
    const index = target.closest('tr')?.dataset['row'];
    place.current = Number(index ?? 0);
    const row = index === undefined ? undefined : rows[start + Number(index)];
    setFocused(row === undefined ? null : rowKey(row));
  };
  const parts: ReactNode[] = [];
  let at = 0;
  const leaveRoom = (to: number): void => {
    const room = roomOf(window, { from: at, to });
    if (room > 0) parts.push(<Room key={`room ${parts.length}`} height={room} columns={columns.length} />);
  };
  for (const { from, to } of renderedSpans(
    { from: window.from, to: Math.min(window.to, end - start) },
    kept,
  )) {
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

/**
 * Fills the space of rows that are not rendered. The content sets the height, because Chromium keeps a cell's old
 * height.
 */
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
  /** Index in the shown page, from 0. */
  index: number;
  /** Index in the whole table, from 0. */
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
              {shown(column.cell(row))}
            </FirstCell>
          ) : (
            shown(column.cell(row))
          )}
        </td>
      ))}
    </tr>
  );
}

/** A memoised row, so that scrolling renders only new rows. */
// oxlint-disable-next-line typescript/no-unsafe-type-assertion -- memo forgets that the component is generic
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
        aria-label={visible(choice.label(row))}
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
