import { CATEGORIES, HOST_PLACEHOLDER, keysOf, LIMITS, type Category } from '@sentinel-node/contracts';
import type { CreateEnrolment } from '../answers.ts';
import { useState } from 'react';
import { typedEvery } from '../format.ts';
import { fileRequest, newFile, type FileDraft } from '../forms/file-values.ts';
import { atLeast, intervalError, required } from '../forms/rules.ts';
import { focusFirstError, useForm, type Errors } from '../forms/use-form.ts';
import { isOneOf } from '../narrow.ts';
import { paths } from '../paths.ts';
import { navigate } from '../state/guard.ts';
import { enteredToKeep, keptEntered } from '../state/kept-files.ts';
import { useKeep, useKept } from '../state/use-kept.ts';
import { Button } from '../ui/Button.tsx';
import { Select, TextInput } from '../ui/Field.tsx';
import { useCategories } from '../devices/DeviceForm.tsx';
import { addGroup, FileGroup } from '../files/FileGroup.tsx';
import { draftOf, isValid } from '../files/FilesForm.tsx';
import { useLeaveGuard } from '../components/use-leave-guard.tsx';

interface Values {
  name: string;
  uses: string;
  days: string;
  namePattern: string;
  path: string;
  healthInterval: string;
  category: string;
}

const initial: Values = {
  name: '',
  uses: '1',
  days: String(LIMITS.enrolmentDaysDefault),
  namePattern: HOST_PLACEHOLDER,
  path: '',
  healthInterval: String(LIMITS.healthIntervalSecondsDefault),
  category: '',
};

const { healthIntervalSecondsMin, healthIntervalSecondsMax, enrolmentUses, enrolmentDaysMax } = LIMITS;

const validate = (values: Values): Errors<Values> => ({
  name: required(values.name, 'Name is required'),
  uses: atLeast(values.uses, 1, enrolmentUses, `A number from 1 to ${enrolmentUses} is required`),
  days: atLeast(values.days, 1, enrolmentDaysMax, `A number from 1 to ${enrolmentDaysMax} is required`),
  namePattern: required(values.namePattern, 'Device name is required'),
  path: required(values.path, 'Device path is required'),
  healthInterval: intervalError(
    values.healthInterval,
    healthIntervalSecondsMin,
    healthIntervalSecondsMax,
    'Positive interval number equal or higher than ten is required',
  ),
  category: required(values.category, 'Device category is required'),
});

function requestOf(values: Values, category: Category, drafts: readonly FileDraft[]): CreateEnrolment {
  return {
    name: values.name.trim(),
    namePattern: values.namePattern.trim(),
    uses: Number(values.uses),
    expiresInDays: Number(values.days),
    template: {
      path: values.path,
      healthInterval: Number(values.healthInterval),
      category,
      files: drafts.map((draft) => fileRequest(draft.values, null)),
    },
  };
}

/** Name under which the template's files are kept. */
const FILES = 'enrolment files';

interface EnrolmentFormProps {
  busy: boolean;
  onSubmit: (body: CreateEnrolment) => void;
}

export function EnrolmentForm({ busy, onSubmit }: EnrolmentFormProps) {
  const form = useForm(initial, validate, 'enrolment');
  const kept = useKept(FILES, keptEntered);
  const [drafts, setDrafts] = useState<FileDraft[]>(kept?.drafts ?? []);
  useKeep(FILES, enteredToKeep({ drafts, many: null }), drafts.length > 0);
  const quit = useLeaveGuard(
    (form.dirty || drafts.length > 0) && !busy,
    'Do you want to quit making a token?',
  );
  const send = form.submit((values) => {
    const { category } = values;
    if (isOneOf(CATEGORIES, category) && drafts.every(isValid)) onSubmit(requestOf(values, category, drafts));
  });
  const submit = (event: React.FormEvent): void => {
    const every = new Set(keysOf(newFile));
    setDrafts(drafts.map((draft) => ({ ...draft, touched: every })));
    send(event);
    if (!drafts.every(isValid)) focusFirstError(event.currentTarget);
  };
  return (
    <form className="stack" noValidate onSubmit={submit}>
      <fieldset className="card file-group">
        <legend className="visually-hidden">Token</legend>
        <TextInput
          label="Name"
          hint="What the token is for; devices do not have it."
          maxLength={LIMITS.nameCharacters}
          {...form.text('name')}
        />
        <div className="two-columns">
          <TextInput label="Devices" type="number" min={1} max={enrolmentUses} {...form.text('uses')} />
          <TextInput
            label="Ends after (days)"
            type="number"
            min={1}
            max={enrolmentDaysMax}
            {...form.text('days')}
          />
        </div>
      </fieldset>
      <DeviceTemplateFields text={form.text} category={form.values.category} />
      {drafts.map((draft, index) => (
        <FileGroup
          key={draft.key}
          draft={draft}
          title={`File ${index + 1}`}
          onDuplicate={null}
          onDelete={() => setDrafts(drafts.filter((other) => other !== draft))}
          onChange={(changed) =>
            setDrafts((old) => old.map((other) => (other.key === changed.key ? changed : other)))
          }
        />
      ))}
      {drafts.length < LIMITS.enrolmentFiles && (
        <button
          type="button"
          className="text-button add-another"
          onClick={({ currentTarget }) =>
            addGroup(currentTarget.form, () => setDrafts([...drafts, draftOf((drafts.at(-1)?.key ?? 0) + 1)]))
          }
        >
          {drafts.length === 0 ? 'Add a file +' : 'Add another file +'}
        </button>
      )}
      <footer className="form-foot">
        <Button onClick={() => navigate(paths.enrolments)}>Cancel</Button>
        <Button tone="primary" type="submit" busy={busy}>
          Make the token
        </Button>
      </footer>
      {quit}
    </form>
  );
}

type Text = ReturnType<typeof useForm<Values>>['text'];

/** Fields for the settings of each device that the token makes. */
function DeviceTemplateFields({ text, category }: { text: Text; category: string }) {
  const categories = useCategories(category);
  return (
    <fieldset className="card file-group">
      <legend className="visually-hidden">Each device</legend>
      <header className="card-head">
        <h2 aria-hidden="true">Each device</h2>
      </header>
      <TextInput
        label="Device name"
        hint={`${HOST_PLACEHOLDER} stands for the name of the machine.`}
        maxLength={LIMITS.nameCharacters}
        {...text('namePattern')}
      />
      <TextInput
        label="Device path"
        hint="Working directory of the agent; relative paths of files start here."
        mono
        maxLength={LIMITS.pathCharacters}
        {...text('path')}
      />
      <div className="two-columns">
        <TextInput
          label="Health interval (seconds)"
          type="number"
          min={healthIntervalSecondsMin}
          hint={typedEvery(text('healthInterval').value)}
          {...text('healthInterval')}
        />
        <Select label="Device category" {...categories} {...text('category')} />
      </div>
    </fieldset>
  );
}
