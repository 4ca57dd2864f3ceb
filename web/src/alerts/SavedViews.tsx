import { isBlank, LIMITS, visible, type SavedView, type SavedViews as Views } from '@sentinel-node/contracts';
import { useState } from 'react';
import { failureNotice, messageOf } from '../errors.ts';
import { paths } from '../paths.ts';
import { api } from '../state/api.ts';
import { navigate } from '../state/guard.ts';
import { useFailure } from '../state/use-failure.ts';
import { useResource } from '../state/use-resource.ts';
import { Button, IconButton } from '../ui/Button.tsx';
import { TextInput } from '../ui/Field.tsx';
import { Modal } from '../ui/Modal.tsx';
import { RowLink } from '../ui/RowLink.tsx';
import { ErrorState, Skeleton } from '../ui/States.tsx';
import { useFocusInside } from '../ui/use-focus-inside.ts';
import { FailureNotice } from '../components/FailureNotice.tsx';

/** URL parameters of an open panel, which are not part of the view. */
const PANEL = ['alert', 'in'];

type ChangeViews = (views: SavedView[]) => SavedView[];

/** Returns the URL's query without the panel's parameters. */
function presentQuery(): string {
  const params = new URLSearchParams(location.search);
  for (const name of PANEL) params.delete(name);
  return params.toString();
}

export function SavedViews({ orgId }: { orgId: string }) {
  const [isOpen, setOpen] = useState(false);
  return (
    <>
      <Button icon="star" onClick={() => setOpen(true)}>
        Saved views
      </Button>
      {isOpen && <SavedViewsModal orgId={orgId} onClose={() => setOpen(false)} />}
    </>
  );
}

const failures = {
  refused: 'The views were not saved.',
  unknown: 'It is not known whether the views were saved.',
};

/** Lists the person's views: one click opens a view; the current view can be saved under a name. */
function SavedViewsModal({ orgId, onClose }: { orgId: string; onClose: () => void }) {
  const [busy, setBusy] = useState(false);
  const { failure, fail, clear } = useFailure();
  const inside = useFocusInside<HTMLDivElement>();
  const resource = useResource<Views>({
    key: `views ${orgId}`,
    load: (signal) => api().getSavedViews(orgId, signal),
  });
  const { data, error, loading, reload, update } = resource;
  const save = async (change: ChangeViews): Promise<boolean> => {
    setBusy(true);
    clear();
    try {
      // Read the views again: another tab may have saved one meanwhile.
      const present = await api().getSavedViews(orgId);
      const saved = await api().saveViews(orgId, change(present.views));
      update(() => saved);
      return true;
    } catch (cause) {
      fail(failureNotice(cause, failures));
      return false;
    } finally {
      setBusy(false);
    }
  };
  return (
    <Modal title="Saved views" onClose={onClose}>
      <div className="stack" {...inside}>
        {loading && <Skeleton lines={3} label="Loading saved views" />}
        {data === undefined && error !== null && (
          <ErrorState title="Saved views cannot be shown" message={messageOf(error)} onRetry={reload} />
        )}
        <FailureNotice failure={failure} />
        {data?.views.length === 0 && <p className="muted">You have not saved a view yet.</p>}
        {data !== undefined && data.views.length > 0 && (
          <ul className="saved-views" aria-label="Saved views">
            {data.views.map((view) => (
              <li key={view.name}>
                <RowLink
                  href={`${paths.alerts}?${view.query}`}
                  className="break grow"
                  onOpen={() => {
                    onClose();
                    navigate(`${paths.alerts}?${view.query}`);
                  }}
                >
                  {visible(view.name)}
                </RowLink>
                <IconButton
                  icon="trash"
                  label={`Delete the view ${view.name}`}
                  onClick={() =>
                    !busy && void save((views) => views.filter(({ name }) => name !== view.name))
                  }
                />
              </li>
            ))}
          </ul>
        )}
        {data !== undefined && <SaveForm views={data.views} busy={busy} save={save} />}
      </div>
    </Modal>
  );
}

interface SaveFormProps {
  views: SavedView[];
  busy: boolean;
  /** Saves changed views. Resolves with true after success. */
  save: (change: ChangeViews) => Promise<boolean>;
}

function SaveForm({ views, busy, save }: SaveFormProps) {
  const [name, setName] = useState('');
  const [problem, setProblem] = useState<string | undefined>(undefined);
  const query = presentQuery();
  if (views.length >= LIMITS.savedViews)
    return (
      <p className="muted">{`You have ${LIMITS.savedViews} views, which is the most. Delete one to save another.`}</p>
    );
  const submit = async (): Promise<void> => {
    const wanted = name.trim();
    const isTaken = views.some((view) => view.name.trim().toLowerCase() === wanted.toLowerCase());
    const found = isBlank(wanted) ? 'Name required' : isTaken ? 'Another view has this name' : undefined;
    setProblem(found);
    if (found === undefined && (await save((present) => [...present, { name: wanted, query }]))) setName('');
  };
  return (
    <form
      className="stack stack-tight"
      noValidate
      onSubmit={(event) => {
        event.preventDefault();
        void submit();
      }}
    >
      <TextInput
        label="Name of what is shown now"
        maxLength={LIMITS.savedViewNameCharacters}
        value={name}
        error={problem}
        onChange={(event) => {
          setName(event.target.value);
          setProblem(undefined);
        }}
      />
      <div>
        <Button type="submit" tone="primary" busy={busy}>
          Save
        </Button>
      </div>
    </form>
  );
}
