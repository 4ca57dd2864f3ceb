import { useEffect, useRef, type ReactNode } from 'react';

interface PopoverProps {
  label: string;
  onClose: () => void;
  children: ReactNode;
}

/** A panel below its anchor that does not block the page. Escape, or leaving by pointer or keyboard, closes it. */
export function Popover({ label, onClose, children }: PopoverProps) {
  const root = useRef<HTMLDivElement>(null);
  /** Whether the focus has moved elsewhere and must not be restored. */
  const hasLeft = useRef(false);
  useEffect(() => {
    const before = document.activeElement;
    root.current?.querySelector<HTMLElement>('input, select, button')?.focus();
    return () => {
      if (!hasLeft.current && before instanceof HTMLElement && before.isConnected) before.focus();
    };
  }, []);
  useEffect(() => {
    const onPointer = ({ target }: PointerEvent): void => {
      if (!(target instanceof Node && root.current?.contains(target))) onClose();
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
      onBlur={({ currentTarget, relatedTarget }) => {
        if (relatedTarget === null || currentTarget.contains(relatedTarget)) return;
        hasLeft.current = true;
        onClose();
      }}
    >
      {children}
    </div>
  );
}
