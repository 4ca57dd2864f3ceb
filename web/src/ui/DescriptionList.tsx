import type { ReactNode } from 'react';
import { useFocusInside } from './use-focus-inside.ts';
import { shown } from './shown.ts';

export type Description = [term: string, value: ReactNode];

interface DescriptionListProps {
  items: Description[];
}

/** Shows terms and values in two aligned columns; an empty value as '-'. */
export function DescriptionList({ items }: DescriptionListProps) {
  const inside = useFocusInside<HTMLDListElement>();
  return (
    <dl className="description-list" {...inside}>
      {items.map(([term, value]) => (
        <div key={term}>
          <dt>{term}</dt>
          <dd>{value === null || value === undefined || value === '' ? '-' : shown(value)}</dd>
        </div>
      ))}
    </dl>
  );
}
