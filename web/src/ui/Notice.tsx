import { visible } from '@sentinel-node/contracts';
import type { ReactNode } from 'react';
import { Button, IconButton } from './Button.tsx';
import { Icon, type IconName } from './Icon.tsx';
import type { NoticeTone } from './notice-tone.ts';
import { shown } from './shown.ts';

interface NoticeProps {
  tone: NoticeTone;
  title: string;
  children?: ReactNode;
  /** Why it failed, as a sentence of its own. */
  reason?: string | undefined;
  action?: { label: string; run: () => void } | undefined;
  onClose?: () => void;
}

const icons: Record<NoticeTone, IconName> = {
  success: 'checkCircle',
  danger: 'alert',
  warning: 'alert',
  info: 'info',
};

export function Notice({ tone, title, children, reason, action, onClose }: NoticeProps) {
  return (
    <div className={`notice notice-${tone}`} role={tone === 'danger' ? 'alert' : 'status'}>
      <Icon name={icons[tone]} />
      <div className="notice-text">
        <strong>{visible(title)}</strong>
        {children && <p>{shown(children)}</p>}
        {reason !== undefined && <p>{reason}</p>}
      </div>
      {action && (
        <Button small onClick={action.run}>
          {action.label}
        </Button>
      )}
      {onClose && <IconButton icon="close" label="Close notice" onClick={onClose} />}
    </div>
  );
}
