import type { Dashboard } from '../answers.ts';
import { percent, plural, wholePercent } from '../format.ts';
import { Badge } from '../ui/Badge.tsx';
import { Card } from '../ui/Card.tsx';
import { Ring } from '../ui/Ring.tsx';
import { SilentDevices, silentDevices } from './SilentDevices.tsx';

type Performance = Dashboard['performance'];

export function PerformanceCard({ dashboard }: { dashboard: Dashboard }) {
  const { performance } = dashboard;
  const silent = silentDevices(dashboard);
  const { performance: value, numberOfFilesWithoutContact: lost } = performance;
  const warning = lost > 0;
  const isPart = performance.numberOfFilesWaiting > 0 || silent > 0;
  return (
    <Card
      title="Performance"
      {...(warning && { tone: 'warning' })}
      aside={<ContactState performance={performance} silent={silent} />}
    >
      <div className="card-figure">
        <Ring
          value={value}
          figure={value === null ? '–' : wholePercent(value)}
          tone={warning ? 'warning' : isPart ? 'neutral' : null}
          label={value === null ? 'Performance: no data' : `Performance ${percent(value)}`}
        />
        <p className="figure-text">
          {sentence(performance)}
          <SilentDevices count={silent} />
        </p>
      </div>
      <dl className="figures">
        <Figure term="Devices" value={performance.numberOfDevicesDefined} />
        <Figure term="Active devices" value={performance.numberOfDevicesActive} />
        <Figure term="Files" value={performance.numberOfFilesDefined} />
        <Figure term="Files waiting" value={performance.numberOfFilesWaiting} />
      </dl>
    </Card>
  );
}

interface ContactStateProps {
  performance: Performance;
  /** Number of devices without a signal. */
  silent: number;
}

/**
 * Shows green only when every monitored file was checked in time, and every monitored device gives a signal; a file never
 * checked counts as unknown.
 */
function ContactState({ performance, silent }: ContactStateProps) {
  const {
    performance: value,
    numberOfFilesWithoutContact: lost,
    numberOfFilesWaiting: waiting,
  } = performance;
  if (lost > 0) {
    return (
      <Badge tone="warning" icon="unplugged">
        Contact lost
      </Badge>
    );
  }
  if (waiting > 0) return <Badge tone="neutral">Waiting</Badge>;
  if (value === null) return null;
  if (silent > 0) return <Badge tone="neutral">Not all in contact</Badge>;
  return (
    <Badge tone="success" icon="checkCircle">
      All in contact
    </Badge>
  );
}

function sentence(performance: Performance) {
  const {
    performance: value,
    numberOfFilesWithoutContact: lost,
    numberOfFilesWaiting: waiting,
    numberOfDevicesActive: active,
  } = performance;
  const waits = waiting > 0 && (
    <span>
      {plural(waiting, 'file')} {waiting === 1 ? 'waits' : 'wait'} for the first check
    </span>
  );
  if (value === null) {
    return (
      <>
        <strong>No data</strong>
        There are no connected devices
        {active > 0 && (
          <span>
            {plural(active, 'active device')}: monitoring is on, and no monitored file was checked yet
          </span>
        )}
        {waits}
      </>
    );
  }
  if (lost > 0) {
    return (
      <>
        {plural(lost, 'monitored file')} without contact
        {waits}
      </>
    );
  }
  return (
    <>
      {waiting > 0
        ? 'Every file that was checked is checked in time'
        : 'Every monitored file is checked in time'}
      {waits}
    </>
  );
}

function Figure({ term, value }: { term: string; value: number }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd className="num">{value.toLocaleString('en-US')}</dd>
    </div>
  );
}
