import { paths } from '../paths.ts';
import { Missing } from '../ui/Missing.tsx';

/** Page for a device, or its form, that does not exist. */
export function NoDevice() {
  return (
    <Missing
      page
      icon="device"
      title="There is no such device."
      way={{ to: paths.devices, children: 'Go to the devices' }}
    >
      The link may be wrong, or the device was deleted.
    </Missing>
  );
}
