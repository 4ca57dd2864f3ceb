import { Select } from './Field.tsx';

/** Choices for the rows of a page; the first is the specification's. */
export const PAGE_LENGTHS = [10, 25, 50, 100] as const;

interface PageLengthProps {
  value: number;
  onChange: (rows: number) => void;
}

export function PageLength({ value, onChange }: PageLengthProps) {
  return (
    <span className="page-length">
      <Select
        label="Rows of a page"
        hideLabel
        value={value}
        options={PAGE_LENGTHS.map((rows) => ({ value: String(rows), label: `${rows} rows` }))}
        onChange={(event) => onChange(Number(event.target.value))}
      />
    </span>
  );
}
