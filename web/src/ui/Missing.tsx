import type { ComponentProps } from 'react';
import { ButtonLink } from './Button.tsx';
import { EmptyState } from './States.tsx';

interface MissingProps extends Omit<ComponentProps<typeof EmptyState>, 'action'> {
  /** The link that leads on. */
  way: ComponentProps<typeof ButtonLink>;
}

/** Says that what the URL names does not exist, and leads on. */
export function Missing({ way, ...state }: MissingProps) {
  return (
    <section className="card">
      <EmptyState {...state} action={<ButtonLink {...way} />} />
    </section>
  );
}
