import type { File } from '@sentinel-node/contracts';
import { Badge } from '../ui/Badge.tsx';

/** Shows the state of a file in words: alerts first, then contact. */
export function FileContact({ file, deviceEnabled }: { file: File; deviceEnabled: boolean }) {
  if (file.activeAlerts > 0) {
    return (
      <Badge tone="danger" icon="alert">
        {file.activeAlerts === 1 ? '1 active alert' : `${file.activeAlerts} active alerts`}
      </Badge>
    );
  }
  if (file.parked !== undefined) {
    return (
      <Badge tone="warning" icon="alert">
        Parked
      </Badge>
    );
  }
  if (file.enabled && !deviceEnabled) return <Badge tone="neutral">Not monitored: device is off</Badge>;
  if (!file.enabled) return <Badge tone="neutral">Not monitored</Badge>;
  if (file.contact === 'LOST') {
    return (
      <Badge tone="warning" icon="unplugged">
        {file.problem === undefined ? 'Contact lost' : 'Agent cannot look'}
      </Badge>
    );
  }
  if (file.missing) {
    return (
      <Badge tone="warning" icon="alert">
        Missing
      </Badge>
    );
  }
  if (file.contact === 'WAITING') {
    const isFirst = file.lastContact === null;
    return <Badge tone="neutral">{isFirst ? 'Waiting for the first contact' : 'Waiting for a check'}</Badge>;
  }
  return (
    <Badge tone="success" icon="checkCircle">
      In contact
    </Badge>
  );
}
