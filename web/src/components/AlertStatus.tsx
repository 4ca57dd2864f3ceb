import type { AlertStatus as Status } from '@sentinel-node/contracts';
import { statusWord } from '../format.ts';
import { Badge, type Tone } from '../ui/Badge.tsx';
import type { IconName } from '../ui/Icon.tsx';

const looks: Record<Status, { tone: Tone; icon: IconName }> = {
  ACTIVE: { tone: 'danger', icon: 'alert' },
  RESOLVED: { tone: 'success', icon: 'checkCircle' },
  DEACTIVATED: { tone: 'warning', icon: 'reset' },
};

export function AlertStatus({ status }: { status: Status }) {
  const { tone, icon } = looks[status];
  return (
    <Badge tone={tone} icon={icon}>
      {statusWord[status]}
    </Badge>
  );
}
