import { lazy, Suspense, type ComponentType, type ReactNode } from 'react';
import { Skeleton } from '../ui/States.tsx';
import { ChartCaption } from './ChartCaption.tsx';
import type { TimeChartProps } from './time-chart.ts';

interface Named {
  /** Name in messages, such as `chart of contact`. */
  name: string;
}

// Load the chart last: its library is as large as the rest of the console.
// Loading fails when the server is away or has another version than the open page.
const TimeChart = lazy((): Promise<{ default: ComponentType<TimeChartProps & Named> }> =>
  import('./TimeChart.tsx').then(
    (module) => ({ default: module.TimeChart }),
    () => ({ default: NoChart }),
  ),
);

function NoChart({ name }: Named) {
  return (
    <p className="muted" role="status">
      The {name} could not be loaded. Reload the page to try again.
    </p>
  );
}

interface ChartFigureProps extends Named {
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

/** Shows a chart by time with the meaning of its colours and its table, also while it loads and when it cannot. */
export function ChartFigure({ name, className, chart, isLost, instead, title, children }: ChartFigureProps) {
  const loading = <Skeleton lines={3} label={`Loading the ${name}`} />;
  return (
    <figure className={className === undefined ? 'activity' : `activity ${className}`}>
      {chart === undefined && !isLost && loading}
      {instead}
      {chart !== undefined && instead === undefined && (
        <>
          <Suspense fallback={loading}>
            <TimeChart name={name} {...chart} />
          </Suspense>
          <ChartCaption series={chart.series} title={title}>
            {children}
          </ChartCaption>
        </>
      )}
    </figure>
  );
}
