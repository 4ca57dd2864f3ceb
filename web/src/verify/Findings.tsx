import type { Finding } from '@sentinel-node/contracts';
import type { Tone } from '../ui/Badge.tsx';
import { Icon, type IconName } from '../ui/Icon.tsx';

interface FindingsProps {
  title: string;
  tone: Tone;
  icon?: IconName;
  findings: readonly Finding<string>[];
}

/** Shows findings of one kind; renders nothing without findings. */
export function Findings({ title, tone, icon = 'alert', findings }: FindingsProps) {
  if (findings.length === 0) return null;
  return (
    <div className={`findings tone-${tone}`}>
      <h4>{title}</h4>
      <ul aria-label={title}>
        {findings.map(({ code, text }) => (
          <li key={code} data-code={code}>
            <Icon name={icon} size={16} />
            <span>
              {text} <code>{code}</code>
            </span>
          </li>
        ))}
      </ul>
    </div>
  );
}
