import { useEffect, useRef, type ReactNode } from 'react';

interface PopoverProps {
  label: string;
  onClose: () => void;
  children: ReactNode;
}

/** A small panel below its anchor that does not block the page: Escape and a click elsewhere close it. */
export function Popover({ label, onClose, children }: PopoverProps) {
  const root = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const before = document.activeElement;
    root.current?.querySelector<HTMLElement>('input, select, button')?.focus();
    return () => {
      if (before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  useEffect(() => {
    const onPointer = (event: PointerEvent): void => {
      if (!root.current?.contains(event.target as Node)) onClose();
    };
    document.addEventListener('pointerdown', onPointer);
    return () => document.removeEventListener('pointerdown', onPointer);
  }, [onClose]);
  return (
    <div
      ref={root}
      role="dialog"
      aria-label={label}
      className="popover"
      onKeyDown={(event) => event.key === 'Escape' && onClose()}
    >
      {children}
    </div>
  );
}
