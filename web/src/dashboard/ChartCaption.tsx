import type { ReactNode } from 'react';
import type { Series } from './time-chart.ts';

interface ChartCaptionProps {
  /** The chart's colours with their meaning, as they lie on one another. */
  series: readonly Pick<Series, 'colour' | 'name'>[];
  /** Name of the table's button. */
  title: string;
  children: ReactNode;
}

/** Shows the meaning of a chart's colours, and its numbers as a table that opens. */
export function ChartCaption({ series, title, children }: ChartCaptionProps) {
  return (
    <figcaption className="chart-caption">
      <p className="chart-key" aria-hidden="true">
        {series.map(({ colour, name }) => (
          <span key={colour} data-colour={colour}>
            {name}
          </span>
        ))}
      </p>
      <details>
        <summary>{title}</summary>
        <div className="chart-table" tabIndex={0} role="region" aria-label={title}>
          {children}
        </div>
      </details>
    </figcaption>
  );
}
