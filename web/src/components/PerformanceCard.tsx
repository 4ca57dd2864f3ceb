import type { Dashboard } from '@sentinel-node/contracts';
import { percent, plural } from '../format.ts';
import { Badge } from '../ui/Badge.tsx';
import { Card } from '../ui/Card.tsx';
import { Ring } from '../ui/Ring.tsx';

export function PerformanceCard({ performance }: { performance: Dashboard['performance'] }) {
  const value = performance.performance;
  const warning = value !== null && value < 100;
  return (
    <Card
      title="Performance"
      {...(warning && { tone: 'warning' })}
      aside={
        value !== null &&
        (warning ? (
          <Badge tone="warning" icon="unplugged">
            Contact lost
          </Badge>
        ) : (
          <Badge tone="success" icon="checkCircle">
            All in contact
          </Badge>
        ))
      }
    >
      <div className="card-figure">
        <Ring
          value={value}
          warning={warning}
          label={value === null ? 'Performance: no data' : `Performance ${percent(value)}`}
        />
        <p className="figure-text">{sentence(performance)}</p>
      </div>
      <dl className="figures">
        <Figure term="Devices" value={performance.numberOfDevicesDefined} />
        <Figure term="Active devices" value={performance.numberOfDevicesActive} />
        <Figure term="Files" value={performance.numberOfFilesDefined} />
      </dl>
    </Card>
  );
}

function sentence({ performance, noContactFiles }: Dashboard['performance']) {
  if (performance === null) {
    return (
      <>
        <strong>No data</strong>
        There are no connected devices
      </>
    );
  }
  if (noContactFiles.length === 0) return 'Every monitored file is checked in time';
  return `${plural(noContactFiles.length, 'monitored file')} without contact`;
}

function Figure({ term, value }: { term: string; value: number }) {
  return (
    <div>
      <dt>{term}</dt>
      <dd className="num">{value.toLocaleString('en-US')}</dd>
    </div>
  );
}
