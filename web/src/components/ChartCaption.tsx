import type { ReactNode } from 'react';

export type ChartColour = 'danger' | 'accent' | 'warning' | 'waiting' | 'success' | 'unknown';

interface ChartCaptionProps {
  /** Colours of the chart with their meaning, as they lie on one another. */
  colours: readonly (readonly [ChartColour, string])[];
  /** Name of the table's button. */
  title: string;
  children: ReactNode;
}

/** Shows the meaning of a chart's colours, and its numbers as a table that opens. */
export function ChartCaption({ colours, title, children }: ChartCaptionProps) {
  return (
    <figcaption className="chart-caption">
      <p className="chart-key" aria-hidden="true">
        {colours.map(([colour, meaning]) => (
          <span key={colour} data-colour={colour}>
            {meaning}
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
