interface RingProps {
  /** 0 to 100; null without data. */
  value: number | null;
  /** Text in the middle, for example `> 99`. */
  figure: string;
  /** Colour of the part missing from 100; null when nothing is wrong, neutral when nothing is known to be wrong. */
  tone: 'danger' | 'warning' | 'neutral' | null;
  /** The value in words, for assistive technology. */
  label: string;
}

const RADIUS = 42;
const LENGTH = 2 * Math.PI * RADIUS;
/** Least drawn length of a missing part, of 100, so that it is visible. */
const SEEN_MIN = 2.5;

/** Draws a value as a green ring, grey when neutral, and the missing part in the colour of its tone. */
export function Ring({ value, figure, tone, label }: RingProps) {
  const isWhole = tone === null || tone === 'neutral';
  const lack = value === null || isWhole ? 0 : Math.max(SEEN_MIN, 100 - value);
  const well = value === null ? 0 : isWhole ? value : 100 - lack;
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
