import type { ReactNode } from 'react';
import { Skeleton } from '../ui/States.tsx';
import { ChartCaption } from './ChartCaption.tsx';
import { TimeChart } from './TimeChart.tsx';
import type { TimeChartProps } from './time-chart.ts';

interface ChartFigureProps {
  /** Name in messages, such as `chart of contact`. */
  name: string;
  className?: string;
  /** undefined while unknown. */
  chart: TimeChartProps | undefined;
  /** Whether reading failed. */
  isLost: boolean;
  /** Shown in place of the chart and its table; absent when there is something to draw. */
  instead?: ReactNode;
  /** Name of the table's button. */
  title: string;
  /** The chart's numbers as a table. */
  children: ReactNode;
}

/** Shows a chart by time with the meaning of its colours and its table, also while its numbers load and when they cannot. */
export function ChartFigure({ name, className, chart, isLost, instead, title, children }: ChartFigureProps) {
  return (
    <figure className={className === undefined ? 'activity' : `activity ${className}`}>
      {chart === undefined && !isLost && <Skeleton lines={3} label={`Loading the ${name}`} />}
      {instead}
      {chart !== undefined && instead === undefined && (
        <>
          <TimeChart {...chart} />
          <ChartCaption series={chart.series} title={title}>
            {children}
          </ChartCaption>
        </>
      )}
    </figure>
  );
}
