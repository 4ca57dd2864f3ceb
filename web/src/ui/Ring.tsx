interface RingProps {
  /** 0 to 100; null: no data. */
  value: number | null;
  /** In the middle, for example `> 99`. */
  figure: string;
  /** What is missing from 100, when that is bad. */
  tone: 'danger' | 'warning' | null;
  /** The figure in words. */
  label: string;
}

const RADIUS = 42;
const LENGTH = 2 * Math.PI * RADIUS;
/** A lack too small to be seen is drawn this long, of 100. */
const SEEN_MIN = 2.5;

/** How much is well, in green, and how much is not, in the colour of its state. */
export function Ring({ value, figure, tone, label }: RingProps) {
  const lack = value === null || tone === null ? 0 : Math.max(SEEN_MIN, 100 - value);
  const well = value === null ? 0 : tone === null ? value : 100 - lack;
  return (
    <div className={`ring${tone === null ? '' : ` ring-${tone}`}`} role="img" aria-label={label}>
      <svg viewBox="0 0 100 100" aria-hidden="true">
        <circle className="ring-track" cx="50" cy="50" r={RADIUS} />
        <Arc className="ring-well" from={0} share={well} />
        <Arc className="ring-lack" from={well} share={lack} />
      </svg>
      <span className="ring-figure num" aria-hidden="true">
        {figure}
        {value !== null && <small>%</small>}
      </span>
    </div>
  );
}

function Arc({ className, from, share }: { className: string; from: number; share: number }) {
  if (share <= 0) return null;
  return (
    <circle
      className={className}
      cx="50"
      cy="50"
      r={RADIUS}
      strokeDasharray={`${(share / 100) * LENGTH} ${LENGTH}`}
      transform={`rotate(${-90 + 3.6 * from} 50 50)`}
    />
  );
}
