import type { RefObject } from 'react';
import { plural } from '../format.ts';
import { Button } from '../ui/Button.tsx';

interface NewRowsProps {
  count: number;
  /** Whether there are more than `count`. */
  more: boolean;
  /** Noun for a row: `alert`. */
  name: string;
  /** The list's section, which is scrolled to its top. */
  list: RefObject<HTMLElement | null>;
  onShow: () => void;
}

/** Shows the number of waiting rows, which would otherwise move the text being read. */
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

/** Returns whether the list's top has left the screen. */
export const isAbove = (list: RefObject<HTMLElement | null>): boolean =>
  (list.current?.getBoundingClientRect().top ?? 0) < 0;
