import type { ReactNode } from 'react';
import { BrandMark } from '../ui/BrandMark.tsx';

interface AuthLayoutProps {
  title: string;
  children: ReactNode;
}

/** Layout of all pages before the dashboard. */
export function AuthLayout({ title, children }: AuthLayoutProps) {
  return (
    <div className="auth">
      <section className="auth-card" aria-labelledby="auth-title">
        <BrandMark size={44} />
        <h1 id="auth-title">{title}</h1>
        {children}
      </section>
      <ol className="auth-chain" aria-hidden="true">
        {Array.from({ length: 7 }, (_, index) => (
          <li key={index} />
        ))}
      </ol>
    </div>
  );
}
