import type { Dashboard } from '../answers.ts';
import { useEffect, useState } from 'react';
import { percent } from '../format.ts';
import { healthShare, isHealthUnknown } from './HealthCard.tsx';

/** Scroll position from which the cards are out of sight, in pixels. */
const STICKY_SCROLL_PX = 318;

function useScrolledPast(pixels: number): boolean {
  const [past, setPast] = useState(() => window.scrollY > pixels);
  useEffect(() => {
    const onScroll = (): void => setPast(window.scrollY > pixels);
    window.addEventListener('scroll', onScroll, { passive: true });
    return () => window.removeEventListener('scroll', onScroll);
  }, [pixels]);
  return past;
}

export function SummaryBar({ dashboard, notifications }: { dashboard: Dashboard; notifications: number }) {
  const past = useScrolledPast(STICKY_SCROLL_PX);
  if (!past) return null;
  const { health, performance, activeAlerts, notJudged } = dashboard;
  const share = [
    percent(healthShare(health)),
    ...(isHealthUnknown(dashboard) ? ['no contact'] : []),
    ...(notJudged === undefined ? [] : ['not all judged']),
  ].join(', ');
  return (
    <section className="summary-bar" aria-label="Summary">
      <dl>
        <Fact term="Health" value={health.devices === 0 ? 'No data' : share} />
        <Fact
          term="Performance"
          value={performance.performance === null ? 'No data' : percent(performance.performance)}
        />
        <Fact term="Active alerts" value={activeAlerts.toLocaleString('en-US')} alarming={activeAlerts > 0} />
        <Fact term="Notifications" value={notifications.toLocaleString('en-US')} />
      </dl>
    </section>
  );
}

function Fact({ term, value, alarming = false }: { term: string; value: string; alarming?: boolean }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd className={`num${alarming ? ' alarming' : ''}`}>{value}</dd>
    </div>
  );
}
