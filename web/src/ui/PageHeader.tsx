import type { ReactNode } from 'react';
import { useTitle } from './use-title.ts';
import { shown } from './shown.ts';

interface PageHeaderProps {
  title: string;
  over?: ReactNode;
  text?: ReactNode;
  actions?: ReactNode;
}

export function PageHeader({ title, over, text, actions }: PageHeaderProps) {
  useTitle(title);
  return (
    <header className="page-header">
      <div className="grow">
        {over && <div className="over">{shown(over)}</div>}
        <h1>{shown(title)}</h1>
        {text && <p className="muted">{shown(text)}</p>}
      </div>
      {actions && <div className="row">{actions}</div>}
    </header>
  );
}
