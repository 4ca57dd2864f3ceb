import type { ReactNode } from 'react';
import { Button } from './Button.tsx';
import { Icon, type IconName } from './Icon.tsx';
import { useTitle } from './use-title.ts';

interface SkeletonProps {
  lines?: number;
  /** Text about the loading, for assistive technology. */
  label?: string;
}

export function Skeleton({ lines = 3, label = 'Loading' }: SkeletonProps) {
  return (
    <div className="skeleton" role="status" aria-label={label}>
      {Array.from({ length: lines }, (_, i) => (
        <span key={i} className="skeleton-line" />
      ))}
    </div>
  );
}

interface EmptyStateProps {
  icon?: IconName;
  title: string;
  /** Whether this is the page's only content, whose title is then the page's. */
  page?: boolean;
  children?: ReactNode;
  action?: ReactNode;
}

export function EmptyState({ icon = 'inbox', title, page = false, children, action }: EmptyStateProps) {
  const Title = page ? 'h1' : 'p';
  useTitle(page ? title.replace(/\.$/, '') : null);
  return (
    <div className="empty-state">
      <span className="empty-icon">
        <Icon name={icon} size={22} />
      </span>
      <Title className="empty-title">{title}</Title>
      {children && <p className="muted">{children}</p>}
      {action}
    </div>
  );
}

interface ErrorStateProps {
  title: string;
  /** Whether this is the page's only content, whose title is then the page's. */
  page?: boolean;
  message: string;
  onRetry?: () => void;
}

export function ErrorState({ title, page = false, message, onRetry }: ErrorStateProps) {
  const Title = page ? 'h1' : 'p';
  useTitle(page ? title.replace(/\.$/, '') : null);
  return (
    <div className="empty-state" role="alert">
      <span className="empty-icon tone-danger">
        <Icon name="unplugged" size={22} />
      </span>
      <Title className="empty-title">{title}</Title>
      <p className="muted">{message}</p>
      {onRetry && <Button onClick={onRetry}>Try again</Button>}
    </div>
  );
}
