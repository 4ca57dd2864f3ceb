import type { AlertStatus as Status, Readable } from '@sentinel-node/contracts';
import { statusWord, wordFor, entryOf } from '../format.ts';
import { Badge, type Tone } from '../ui/Badge.tsx';
import type { IconName } from '../ui/Icon.tsx';

const looks: Record<Status, { tone: Tone; icon: IconName }> = {
  ACTIVE: { tone: 'danger', icon: 'alert' },
  RESOLVED: { tone: 'success', icon: 'checkCircle' },
  DEACTIVATED: { tone: 'warning', icon: 'reset' },
};

export function AlertStatus({ status }: { status: Readable<Status> }) {
  const { tone, icon } = entryOf(looks, status) ?? { tone: 'neutral', icon: 'info' };
  return (
    <Badge tone={tone} icon={icon}>
      {wordFor(statusWord, status)}
    </Badge>
  );
}
