import { paths } from '../paths.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { EmptyState } from '../ui/States.tsx';

export function NotFoundPage() {
  return (
    <section className="card">
      <EmptyState
        page
        icon="search"
        title="There is no such page."
        action={<ButtonLink to={paths.home}>Go to the start</ButtonLink>}
      />
    </section>
  );
}
