import { paths } from '../paths.ts';
import { ButtonLink } from '../ui/Button.tsx';
import { EmptyState } from '../ui/States.tsx';

interface NoFileProps {
  deviceId: string;
  /** Whether the page has no other title. */
  page?: boolean;
}

/** Page for a file, or its form, that does not exist. */
export function NoFile({ deviceId, page = false }: NoFileProps) {
  return (
    <section className="card">
      <EmptyState
        page={page}
        icon="search"
        title="There is no such file."
        action={
          <ButtonLink to={paths.device(deviceId)} icon="device">
            Go to the device
          </ButtonLink>
        }
      >
        Its address may be wrong, or the file was deleted.
      </EmptyState>
    </section>
  );
}
