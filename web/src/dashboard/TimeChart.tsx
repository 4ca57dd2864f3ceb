import { useState } from 'react';
import type { TimeChartProps } from './time-chart.ts';

/**
 * Draws a bar for each time. The table beside the chart has the same numbers. Plain elements, because the library of
 * the other charts is more than half as large as the rest of the console, and the dashboard is what loads first.
 */
export function TimeChart({ columns, series, end }: TimeChartProps) {
  /** Index of the column under the pointer. */
  const [over, setOver] = useState<number | null>(null);
  const share = (value: number | undefined): string => `${(100 * (value ?? 0)) / end}%`;
  return (
    <div aria-hidden="true" className="activity-chart">
      <div className="time-chart-counts num">
        <span>{end.toLocaleString('en-US')}</span>
        <span>0</span>
      </div>
      <div className="time-chart-columns" onPointerLeave={() => setOver(null)}>
        {columns.map(({ start, tick }, at) => (
          <div key={start} className="time-chart-column" onPointerEnter={() => setOver(at)}>
            {series.map(({ colour, values }) => (
              <span
                key={colour}
                className="time-chart-bar"
                data-colour={colour}
                style={{ height: share(values[at]) }}
              />
            ))}
            {tick !== null && <span className="time-chart-tick">{tick}</span>}
          </div>
        ))}
        {over !== null && <Numbers columns={columns} series={series} at={over} />}
      </div>
    </div>
  );
}

/** Shows the numbers of one column beside it. */
function Numbers({ columns, series, at }: Omit<TimeChartProps, 'end'> & { at: number }) {
  const middle = (100 * (at + 0.5)) / columns.length;
  const side = middle < 50 ? { left: `${middle}%` } : { right: `${100 - middle}%` };
  return (
    <div className="time-chart-numbers num" style={side}>
      <p>{columns[at]?.label}</p>
      {series.map(({ colour, name, values, text }) => {
        const value = values[at];
        return (
          value !== undefined && (
            <p key={colour} data-colour={colour}>
              {name}: {text ?? value.toLocaleString('en-US')}
            </p>
          )
        );
      })}
    </div>
  );
}
