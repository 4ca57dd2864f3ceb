import { paths } from '../paths.ts';
import { Missing } from '../ui/Missing.tsx';

export function NotFoundPage() {
  return (
    <Missing
      page
      icon="search"
      title="There is no such page."
      way={{ to: paths.home, children: 'Go to the start' }}
    />
  );
}
