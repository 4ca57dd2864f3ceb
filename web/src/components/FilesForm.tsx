import { keysOf, type Device, type File, type FileInput } from '@sentinel-node/contracts';
import { useState } from 'react';
import { crossedThreshold, fileErrors, fileRequest, fileValues, newFile } from '../forms/file-values.ts';
import { paths } from '../paths.ts';
import { navigate } from '../state/guard.ts';
import { Button } from '../ui/Button.tsx';
import { Notice } from '../ui/Notice.tsx';
import { FileGroup, type FileDraft } from './FileGroup.tsx';
import { useLeaveGuard } from './use-leave-guard.tsx';

interface FilesFormProps {
  device: Device;
  /** Undefined: files are added. */
  file: File | undefined;
  /** Files of the whole organisation: fees are counted over them. */
  present: number;
  busy: boolean;
  onSubmit: (files: FileInput[]) => void;
}

export const draftOf = (key: number, file?: File): FileDraft => ({
  key,
  values: file === undefined ? newFile : fileValues(file),
  touched: new Set(),
});

export const isValid = (draft: FileDraft): boolean =>
  Object.values(fileErrors(draft.values)).every((error) => error === undefined);

export function FilesForm({ device, file, present, busy, onSubmit }: FilesFormProps) {
  const edit = file !== undefined;
  const [initial] = useState(() => [draftOf(0, file)]);
  const [drafts, setDrafts] = useState(initial);
  const dirty = JSON.stringify(drafts.map((d) => d.values)) !== JSON.stringify(initial.map((d) => d.values));
  const quit = useLeaveGuard(
    dirty && !busy,
    `Do you want to quit ${edit ? 'file editing' : 'adding files'}?`,
  );
  const threshold = edit ? null : crossedThreshold(present, drafts.length);
  const submit = (event: React.FormEvent): void => {
    event.preventDefault();
    const every = new Set(keysOf(newFile));
    setDrafts(drafts.map((draft) => ({ ...draft, touched: every })));
    if (drafts.every(isValid)) onSubmit(drafts.map((draft) => fileRequest(draft.values, file?.id ?? null)));
  };
  return (
    <form className="stack" noValidate onSubmit={submit}>
      {drafts.map((draft, index) => (
        <FileGroup
          key={draft.key}
          draft={draft}
          title={`File ${index + 1}`}
          onDelete={drafts.length > 1 ? () => setDrafts(drafts.filter((other) => other !== draft)) : null}
          onChange={(changed) =>
            setDrafts((old) => old.map((other) => (other.key === changed.key ? changed : other)))
          }
        />
      ))}
      {!edit && (
        <button
          type="button"
          className="text-button add-another"
          onClick={() => setDrafts([...drafts, draftOf((drafts.at(-1)?.key ?? 0) + 1)])}
        >
          Add another file +
        </button>
      )}
      {threshold !== null && (
        <Notice
          tone="warning"
          title={`Number of monitored files will increase above the threshold of ${threshold} files. Additional fees will be charged.`}
        />
      )}
      <footer className="form-foot">
        <Button icon="back" onClick={() => navigate(paths.device(device.id))}>
          Back
        </Button>
        <Button tone="primary" type="submit" busy={busy}>
          {edit ? 'Save changes' : 'Add files'}
        </Button>
      </footer>
      {quit}
    </form>
  );
}
