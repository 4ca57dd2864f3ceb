import type { ReactNode } from 'react';
import { Icon, type IconName } from './Icon.tsx';

export type Tone = 'danger' | 'warning' | 'success' | 'accent' | 'neutral';

interface BadgeProps {
  tone: Tone;
  /** Shape in addition to the colour. */
  icon?: IconName;
  children: ReactNode;
}

export function Badge({ tone, icon, children }: BadgeProps) {
  return (
    <span className={`badge tone-${tone}`}>
      {icon && <Icon name={icon} size={13} />}
      {children}
    </span>
  );
}
