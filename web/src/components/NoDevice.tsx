import { paths } from '../paths.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { EmptyState } from '../ui/States.tsx';

/** Page for a device, or its form, that does not exist. */
export function NoDevice() {
  return (
    <section className="card">
      <EmptyState
        page
        icon="device"
        title="There is no such device."
        action={<ButtonLink to={paths.devices}>Go to the devices</ButtonLink>}
      >
        The link may be wrong, or the device was deleted.
      </EmptyState>
    </section>
  );
}
