interface RingProps {
  /** 0 to 100; null: no data. */
  value: number | null;
  warning: boolean;
  /** The figure in words. */
  label: string;
}

const RADIUS = 42;
const LENGTH = 2 * Math.PI * RADIUS;

export function Ring({ value, warning, label }: RingProps) {
  const filled = ((value ?? 0) / 100) * LENGTH;
  return (
    <div className={`ring${warning ? ' ring-warning' : ''}`} role="img" aria-label={label}>
      <svg viewBox="0 0 100 100" aria-hidden="true">
        <circle className="ring-track" cx="50" cy="50" r={RADIUS} />
        {value !== null && value > 0 && (
          <circle
            className="ring-value"
            cx="50"
            cy="50"
            r={RADIUS}
            strokeDasharray={`${filled} ${LENGTH}`}
            transform="rotate(-90 50 50)"
          />
        )}
      </svg>
      <span className="ring-figure num" aria-hidden="true">
        {value === null ? '–' : Math.round(value)}
        {value !== null && <small>%</small>}
      </span>
    </div>
  );
}
