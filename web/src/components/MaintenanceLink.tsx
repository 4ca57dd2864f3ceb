import { paths } from '../paths.ts';
import { useWindows } from '../state/maintenance.ts';
import { ButtonLink } from '../ui/Button.tsx';

/** Says how many windows wait for their review. */
export function MaintenanceLink({ orgId }: { orgId: string }) {
  const toReview = useWindows(orgId, true).data?.toReview ?? 0;
  return (
    <ButtonLink to={paths.maintenance} icon="calendar">
      {toReview === 0 ? 'Maintenance' : `Maintenance, ${toReview.toLocaleString('en-US')} to review`}
    </ButtonLink>
  );
}
