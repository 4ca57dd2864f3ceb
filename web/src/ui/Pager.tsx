import { IconButton } from './Button.tsx';
import { PaperNote } from './PaperNote.tsx';
import { PageLength } from './PageLength.tsx';

interface PagerProps {
  /** Page, from 0. */
  page: number;
  pageLength: number;
  rows: number;
  /** Whether there may be more rows than these. */
  isCut?: boolean;
  label: string;
  /** The name of the rows, such as `devices`. */
  unit: string;
  onPage: (page: number) => void;
  onPageLength?: ((rows: number) => void) | undefined;
}

export function Pager({
  page,
  pageLength,
  rows,
  isCut = false,
  label,
  unit,
  onPage,
  onPageLength,
}: PagerProps) {
  const from = page * pageLength + 1;
  const to = Math.min(rows, from + pageLength - 1);
  const all = `${isCut ? 'at least ' : ''}${rows.toLocaleString('en-US')}`;
  const span = `${from.toLocaleString('en-US')}–${to.toLocaleString('en-US')} of ${all} ${unit}`;
  return (
    <>
      <nav className="pager" aria-label={`Pages of ${label}`}>
        {onPageLength !== undefined && <PageLength value={pageLength} onChange={onPageLength} />}
        <span className="num muted">{span}</span>
        <IconButton
          icon="chevronLeft"
          label="Previous page"
          shortcut="previous-page"
          disabled={page === 0}
          onClick={() => onPage(page - 1)}
        />
        <IconButton
          icon="chevronRight"
          label="Next page"
          shortcut="next-page"
          disabled={to >= rows}
          onClick={() => onPage(page + 1)}
        />
      </nav>
      <PaperNote>{span}</PaperNote>
    </>
  );
}
