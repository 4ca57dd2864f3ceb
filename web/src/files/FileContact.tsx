import type { File } from '../answers.ts';
import { plural, wordFor } from '../format.ts';
import { Badge, type Tone } from '../ui/Badge.tsx';
import type { IconName } from '../ui/Icon.tsx';
import { fileStateOf } from './file-contact.ts';

interface Look {
  tone: Tone;
  icon?: IconName;
  words: (file: File) => string;
}

const looks: Record<ReturnType<typeof fileStateOf>, Look> = {
  ALERTS: { tone: 'danger', icon: 'alert', words: (file) => plural(file.activeAlerts, 'active alert') },
  PARKED: { tone: 'warning', icon: 'alert', words: () => 'Parked' },
  LOST: {
    tone: 'warning',
    icon: 'unplugged',
    words: ({ problem }) => (problem === undefined ? 'Contact lost' : 'Agent cannot look'),
  },
  UNKNOWN: {
    tone: 'neutral',
    icon: 'info',
    words: ({ contact }) => `Unknown state: ${wordFor({}, contact)}`,
  },
  MISSING: { tone: 'warning', icon: 'alert', words: () => 'Missing' },
  WAITING: {
    tone: 'neutral',
    words: ({ lastContact }) =>
      lastContact === null ? 'Waiting for the first contact' : 'Waiting for a check',
  },
  OFF: {
    tone: 'neutral',
    words: ({ enabled }) => (enabled ? 'Not monitored: device is off' : 'Not monitored'),
  },
  IN_CONTACT: { tone: 'success', icon: 'checkCircle', words: () => 'In contact' },
};

/** Shows the state of a file in words: alerts first, then contact. */
export function FileContact({ file, deviceEnabled }: { file: File; deviceEnabled: boolean }) {
  const { words, ...look } = looks[fileStateOf(file, deviceEnabled)];
  return <Badge {...look}>{words(file)}</Badge>;
}
