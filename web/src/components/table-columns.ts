/** A person's choice of a table's columns and row order. */
import { setUrlParams, useUrlParams } from '../state/url.ts';
import { useViewSettings } from '../state/view-settings.ts';
import type { Column } from '../ui/Table.tsx';

export interface ChosenColumn<T> extends Column<T> {
  /** Hidden by default. */
  extra?: boolean;
  /** Cannot be hidden. */
  needed?: boolean;
  /** Returns a row's sort key; absent when the rows cannot be sorted by the column. */
  order?: (row: T) => number | string;
}

export interface TableView {
  columns: { name: string; isShown: boolean }[];
  onColumn: (name: string, isShown: boolean) => void;
  orders: string[];
  /** Column of the order, with a leading `-` for descending; empty for the default order. */
  order: string;
  onOrder: (order: string) => void;
}

/** Returns whether one of these extra columns is shown or determines the order; otherwise its data need not be read. */
export function useIsWanted(table: string, headers: readonly string[]): boolean {
  const { settings } = useViewSettings();
  const order = useUrlParams().get('sort') ?? '';
  return headers.some(
    (header) => header === nameOf(order) || settings.columns[table]?.shown.includes(header) === true,
  );
}

/** Returns the chosen columns and sorted rows. @param table the table's name in the person's view settings */
export function useTableColumns<T>(
  table: string,
  columns: readonly ChosenColumn<T>[],
  rows: readonly T[],
): { columns: Column<T>[]; rows: T[]; view: TableView } {
  const { settings, change } = useViewSettings();
  const order = useUrlParams().get('sort') ?? '';
  const { shown = [], hidden = [] } = settings.columns[table] ?? {};
  const isShown = ({ header, extra = false }: ChosenColumn<T>): boolean =>
    extra ? shown.includes(header) : !hidden.includes(header);
  const by = columns.find(({ header }) => header === nameOf(order));
  const view: TableView = {
    columns: columns
      .filter(({ needed }) => needed !== true)
      .map((column) => ({ name: column.header, isShown: isShown(column) })),
    onColumn: (name, on) => {
      const extra = columns.find(({ header }) => header === name)?.extra === true;
      const others = (names: readonly string[]): string[] => names.filter((one) => one !== name);
      const next = {
        shown: extra && on ? [...others(shown), name] : others(shown),
        hidden: !extra && !on ? [...others(hidden), name] : others(hidden),
      };
      change({ columns: { ...settings.columns, [table]: next } });
    },
    orders: columns.filter((column) => column.order !== undefined).map(({ header }) => header),
    order: by?.order === undefined ? '' : order,
    onOrder: (next) => setUrlParams({ sort: next, page: null }, { push: true }),
  };
  return {
    columns: columns
      .filter(isShown)
      .map((column) =>
        column === by && by.order !== undefined ? { ...column, sorted: wayOf(order) } : column,
      ),
    rows: by?.order === undefined ? [...rows] : sortedBy(rows, by.order, order.startsWith('-')),
    view,
  };
}

const nameOf = (order: string): string => order.replace(/^-/, '');
const wayOf = (order: string) => (order.startsWith('-') ? 'descending' : 'ascending');

/** Sorts rows; equal rows keep their order. */
function sortedBy<T>(rows: readonly T[], of: (row: T) => number | string, isDown: boolean): T[] {
  const compare = new Intl.Collator('en', { numeric: true }).compare;
  const way = isDown ? -1 : 1;
  return rows
    .map((row) => ({ row, value: of(row) }))
    .sort((one, other) => {
      const [a, b] = [one.value, other.value];
      return way * (typeof a === 'number' && typeof b === 'number' ? a - b : compare(String(a), String(b)));
    })
    .map(({ row }) => row);
}
