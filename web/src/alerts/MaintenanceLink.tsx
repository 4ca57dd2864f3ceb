import { paths } from '../paths.ts';
import { useWindows } from '../state/maintenance.ts';
import { ButtonLink } from '../ui/Button.tsx';

/** Links to the windows, with the number that wait for review. */
export function MaintenanceLink({ orgId }: { orgId: string }) {
  const { data, error } = useWindows(orgId, true);
  const toReview = data?.toReview ?? 0;
  const isUnknown = data === undefined && error !== null;
  const waiting = isUnknown ? ', not known what to review' : '';
  return (
    <ButtonLink to={paths.maintenance} icon="calendar">
      {`Maintenance${toReview === 0 ? waiting : `, ${toReview.toLocaleString('en-US')} to review`}`}
    </ButtonLink>
  );
}
