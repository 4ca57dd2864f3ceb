import { keysOf, LIMITS, visible } from '@sentinel-node/contracts';
import type { FileInput, Device, File } from '../answers.ts';
import { useSetAtom } from 'jotai';
import { Suspense, useDeferredValue, useMemo, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import {
  crossedThreshold,
  fileErrors,
  fileLists,
  fileRequest,
  fileValues,
  newFile,
  type FileDraft,
} from '../forms/file-values.ts';
import { readManyFiles, type ManyDraft, type ManyFiles as Read } from '../forms/many-files.ts';
import { focusFirstError, rebased } from '../forms/use-form.ts';
import { paths } from '../paths.ts';
import { navigate } from '../state/guard.ts';
import { enteredToKeep, keptEntered, type EnteredFiles } from '../state/kept-files.ts';
import { noticesPlaceAtom } from '../state/notices.ts';
import { useKeep, useKept } from '../state/use-kept.ts';
import { Button } from '../ui/Button.tsx';
import { Notice } from '../ui/Notice.tsx';
import { lazyPart } from '../ui/lazy-part.ts';
import { Skeleton } from '../ui/States.tsx';
import { addGroup, FileGroup } from './FileGroup.tsx';
import { useLeaveGuard } from '../components/use-leave-guard.tsx';
import '../styles/files-form.css';

const ManyFiles = lazyPart(
  () => import('./ManyFiles.tsx'),
  (module) => module.ManyFiles,
);

interface FilesFormProps {
  device: Device;
  /** The edited file; another one when a newer state was read: what the person changed is kept. Undefined adds files. */
  file: File | undefined;
  /** File whose settings the first new file copies. */
  like?: File | undefined;
  /** Number of the organisation's files, on which fees depend. */
  present: number;
  busy: boolean;
  onSubmit: (files: FileInput[], entered: EnteredFiles) => void;
}

/** Name under which the form's unsaved values are kept. */
export const FILES_FORM = 'files';

export const draftOf = (key: number, file?: File): FileDraft => ({
  key,
  values: file === undefined ? newFile : fileValues(file),
  touched: new Set(),
});

/** Returns another file's settings without its name and path. */
const settingsOf = (values: FileDraft['values']): FileDraft['values'] => ({
  ...values,
  fileName: '',
  filePath: '',
  fileDescription: '',
});

export const isValid = (draft: FileDraft): boolean =>
  Object.values(fileErrors(draft.values)).every((error) => error === undefined);

/** Default settings of pasted lines. */
const common = {
  ...newFile,
  fileType: 'TEXT',
  monitoringFrequency: 'PROBE',
  isFileModifiable: 'yes',
  isFileRolled: 'no',
};

const isUntouched = ({ values }: FileDraft): boolean => JSON.stringify(values) === JSON.stringify(newFile);
const textOf = ({ drafts, many }: EnteredFiles): string =>
  JSON.stringify([drafts.map(({ values }) => values), many?.text ?? '']);

function startOf(device: Device, file: File | undefined, like: File | undefined): EnteredFiles {
  const draft = draftOf(0, file ?? like);
  const values = file === undefined && like !== undefined ? settingsOf(draft.values) : draft.values;
  return { drafts: [{ ...draft, values }], many: null, base: file && values };
}

/** Returns what was entered for an edited file, over a newer state of it. */
function over(entered: EnteredFiles, file: File): EnteredFiles {
  const fresh = fileValues(file);
  const { base = fresh } = entered;
  const drafts = entered.drafts.map((draft) => ({
    ...draft,
    values: rebased({ values: draft.values, base }, fresh, fileLists),
  }));
  return { ...entered, drafts, base: fresh };
}

export function FilesForm({ device, file, like, present, busy, onSubmit }: FilesFormProps) {
  const edit = file !== undefined;
  const [held, setHeld] = useState(file);
  const [initial, setInitial] = useState(() => startOf(device, file, like));
  const kept = useKept(FILES_FORM, keptEntered);
  const [entered, setEntered] = useState(() =>
    kept === null ? initial : file === undefined ? kept : over(kept, file),
  );
  const [tried, setTried] = useState(false);
  if (file !== undefined && file !== held) {
    setHeld(file);
    setInitial(startOf(device, file, like));
    setEntered(over(entered, file));
  }
  const { drafts, many } = entered;
  const setDrafts = (change: (old: FileDraft[]) => FileDraft[]): void =>
    setEntered((old) => ({ ...old, drafts: change(old.drafts) }));
  const dirty = textOf(entered) !== textOf(initial);
  useKeep(FILES_FORM, enteredToKeep(entered), dirty);
  const quit = useLeaveGuard(
    dirty && !busy,
    `Do you want to quit ${edit ? 'file editing' : 'adding files'}?`,
  );
  const { read, isBehind } = useManyRead(device, drafts, many);
  const threshold = edit ? null : crossedThreshold(present, drafts.length + read.rows.length);
  const submit = (event: React.FormEvent): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const every = new Set(keysOf(newFile));
    // At once, so that the errors are there to be looked for.
    flushSync(() => {
      setTried(true);
      setDrafts((old) => old.map((draft) => ({ ...draft, touched: every })));
    });
    const isManyGood = read.problem === null && read.rows.every(({ errors }) => errors.length === 0);
    const count = drafts.length + read.rows.length;
    if (isBehind || !isManyGood || count === 0 || !drafts.every(isValid)) return focusFirstError(form);
    const values = [...drafts, ...read.rows].map((one) => one.values);
    onSubmit(
      values.map((one) => fileRequest(one, file?.id ?? null)),
      entered,
    );
  };
  const add = (values: FileDraft['values']): void =>
    setDrafts((old) => [...old, { ...draftOf(1 + Math.max(-1, ...old.map(({ key }) => key))), values }]);
  const [isOpened, setIsOpened] = useState(false);
  const opener = useRef<HTMLButtonElement>(null);
  const openMany = (): void => {
    setIsOpened(true);
    setEntered((old) => ({
      drafts: old.drafts.every(isUntouched) ? [] : old.drafts,
      many: { text: '', common: like === undefined ? common : settingsOf(fileValues(like)) },
    }));
  };
  const closeMany = (): void => {
    flushSync(() =>
      setEntered((old) => ({ drafts: old.drafts.length === 0 ? [draftOf(0)] : old.drafts, many: null })),
    );
    opener.current?.focus();
  };
  return (
    <form className="stack" noValidate onSubmit={submit}>
      {many !== null && (
        <Suspense fallback={<Skeleton lines={6} label="Loading the part for many files" />}>
          <ManyFiles
            draft={many}
            read={read}
            tried={tried}
            takesFocus={isOpened}
            onChange={(changed) => setEntered((old) => ({ ...old, many: changed }))}
            onClose={closeMany}
          />
        </Suspense>
      )}
      {drafts.map((draft, index) => (
        <FileGroup
          key={draft.key}
          draft={draft}
          title={visible(file?.name ?? `File ${index + 1}`)}
          onDelete={
            drafts.length > 1 || many !== null
              ? () => setDrafts((old) => old.filter(({ key }) => key !== draft.key))
              : null
          }
          onDuplicate={edit ? null : () => add(settingsOf(draft.values))}
          onChange={(changed) =>
            setDrafts((old) => old.map((other) => (other.key === changed.key ? changed : other)))
          }
        />
      ))}
      {!edit && (
        <div className="row">
          <button
            type="button"
            className="text-button add-another"
            onClick={({ currentTarget }) => addGroup(currentTarget.form, () => add(newFile))}
          >
            Add another file +
          </button>
          {many === null && (
            <button ref={opener} type="button" className="text-button" onClick={openMany}>
              Add many files at once
            </button>
          )}
        </div>
      )}
      <div ref={useSetAtom(noticesPlaceAtom)} className="files-foot">
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
      </div>
      {quit}
    </form>
  );
}

const NOTHING: Read = { rows: [], problem: null };

/** Parses the pasted text, a long text after typing. `isBehind` is true while the result is of an earlier text. */
function useManyRead(
  device: Device,
  drafts: FileDraft[],
  many: ManyDraft | null,
): { read: Read; isBehind: boolean } {
  const later = useDeferredValue(many);
  const own = drafts.map(({ values }) => values.filePath).filter((path) => path.trim() !== '');
  const ownPaths = own.join('\n');
  const read = useMemo(() => {
    if (later === null) return NOTHING;
    const taken = [...device.files.map(({ path }) => path), ...ownPaths.split('\n').filter(Boolean)];
    const room = LIMITS.filesPerDevice - taken.length;
    return readManyFiles(later.text, later.common, { workingDirectory: device.path, taken, room });
  }, [device, later, ownPaths]);
  return many === null ? { read: NOTHING, isBehind: false } : { read, isBehind: later !== many };
}
