import { paths } from '../paths.ts';
import { Missing } from '../ui/Missing.tsx';

interface NoFileProps {
  deviceId: string;
  /** Whether the page has no other title. */
  page?: boolean;
}

/** Page for a file, or its form, that does not exist. */
export function NoFile({ deviceId, page = false }: NoFileProps) {
  return (
    <Missing
      page={page}
      icon="search"
      title="There is no such file."
      way={{ to: paths.device(deviceId), icon: 'device', children: 'Go to the device' }}
    >
      Its address may be wrong, or the file was deleted.
    </Missing>
  );
}
