import type { MouseEvent, ReactNode } from 'react';

interface RowLinkProps {
  href: string;
  label?: string | undefined;
  className?: string;
  onOpen: () => void;
  children: ReactNode;
}

/** A click that the browser answers with another tab or window. */
export const wantsNewTab = (event: MouseEvent): boolean =>
  event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;

/** A link whose plain click opens something on this page; any other click is the browser's. */
export function RowLink({ href, label, className = 'row-button', onOpen, children }: RowLinkProps) {
  return (
    <a
      href={href}
      className={className}
      aria-label={label}
      onClick={(event) => {
        event.stopPropagation();
        if (wantsNewTab(event)) return;
        event.preventDefault();
        onOpen();
      }}
    >
      {children}
    </a>
  );
}
