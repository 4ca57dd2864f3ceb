import { paths } from '../paths.ts';
import { useWindows } from '../state/maintenance.ts';
import { ButtonLink } from '../ui/Button.tsx';

/** Links to the windows, with the number that wait for review. */
export function MaintenanceLink({ orgId }: { orgId: string }) {
  const toReview = useWindows(orgId, true).data?.toReview ?? 0;
  return (
    <ButtonLink to={paths.maintenance} icon="calendar">
      {toReview === 0 ? 'Maintenance' : `Maintenance, ${toReview.toLocaleString('en-US')} to review`}
    </ButtonLink>
  );
}
