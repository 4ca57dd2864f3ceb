import type { RefObject } from 'react';
import { plural } from '../format.ts';
import { Button } from '../ui/Button.tsx';

interface NewRowsProps {
  count: number;
  /** There are more than that. */
  more: boolean;
  /** `alert`: what the rows are. */
  name: string;
  /** The list's section, whose top comes into view. */
  list: RefObject<HTMLElement | null>;
  onShow: () => void;
}

/** Tells of rows that wait, so that what a person reads stays where it is. */
export function NewRows({ count, more, name, list, onShow }: NewRowsProps) {
  if (count === 0) return null;
  const text = plural(count, `new ${name}`);
  return (
    <div className="new-rows" role="status">
      <Button
        small
        tone="primary"
        icon="chevronUp"
        onClick={() => {
          onShow();
          if (isAbove(list)) list.current?.scrollIntoView({ block: 'start' });
        }}
      >
        {more ? text.replace(String(count), `${count}+`) : text}
      </Button>
    </div>
  );
}

/** Whether the list's top has left the screen. */
export const isAbove = (list: RefObject<HTMLElement | null>): boolean =>
  (list.current?.getBoundingClientRect().top ?? 0) < 0;
