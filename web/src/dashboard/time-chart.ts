/** The content of a chart by time. */
import type { Part } from '../activity.ts';

/** Meaning of a colour; `unknown` is hatching. */
export type ChartColour = 'danger' | 'accent' | 'warning' | 'waiting' | 'success' | 'unknown';

/** One colour of the bars. */
export interface Series {
  colour: ChartColour;
  name: string;
  /** Height in each column; undefined where a column has none. */
  values: readonly (number | undefined)[];
  /** Replaces the number when the pointer is over a bar. */
  text?: string;
}

export interface TimeChartProps {
  columns: readonly Pick<Part, 'start' | 'label' | 'tick'>[];
  /** From the lowest part of the bars to the highest. */
  series: readonly Series[];
  /** Highest number of the axis. */
  end: number;
}
