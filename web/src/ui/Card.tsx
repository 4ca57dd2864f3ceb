import { useId, type ReactNode } from 'react';

interface CardProps {
  title: string;
  aside?: ReactNode;
  children: ReactNode;
  tone?: 'warning' | 'danger';
}

export function Card({ title, aside, children, tone }: CardProps) {
  const id = useId();
  return (
    <section className={`card${tone ? ` card-${tone}` : ''}`} aria-labelledby={id}>
      <header className="card-head">
        <h2 id={id}>{title}</h2>
        {aside}
      </header>
      {children}
    </section>
  );
}
