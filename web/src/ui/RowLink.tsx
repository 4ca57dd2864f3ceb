import type { MouseEvent, ReactNode } from 'react';

interface RowLinkProps {
  href: string;
  label?: string | undefined;
  className?: string;
  onOpen: () => void;
  children: ReactNode;
}

/** Returns whether a click makes the browser open another tab or window. */
export const wantsNewTab = (event: MouseEvent): boolean =>
  event.metaKey || event.ctrlKey || event.shiftKey || event.altKey;

/** A link that calls `onOpen` for a plain click; the browser handles other clicks. */
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
