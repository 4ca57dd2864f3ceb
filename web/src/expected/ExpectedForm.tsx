import { LIMITS } from '@sentinel-node/contracts';
import { expectedErrors, newExpected, type ExpectedValues } from './expected-values.ts';
import { useForm } from '../forms/use-form.ts';
import { paths } from '../paths.ts';
import { navigate } from '../state/guard.ts';
import { Button } from '../ui/Button.tsx';
import { TextArea, TextInput } from '../ui/Field.tsx';
import { Icon } from '../ui/Icon.tsx';
import { ScopeFields } from '../components/ScopeFields.tsx';
import { useLeaveGuard } from '../components/use-leave-guard.tsx';

interface ExpectedFormProps {
  orgId: string;
  busy: boolean;
  onSubmit: (values: ExpectedValues) => void;
}

export function ExpectedForm({ orgId, busy, onSubmit }: ExpectedFormProps) {
  const form = useForm(newExpected, expectedErrors, 'expected');
  const quit = useLeaveGuard(form.dirty && !busy, 'Do you want to quit adding a list?');
  const choose = async ({ currentTarget }: React.ChangeEvent<HTMLInputElement>): Promise<void> => {
    const [file] = currentTarget.files ?? [];
    currentTarget.value = '';
    // One byte above the limit is enough for the form to refuse a too large file.
    if (file !== undefined) form.set('contents', await file.slice(0, LIMITS.expectedBytes + 1).text());
  };
  return (
    <form className="card form" noValidate onSubmit={form.submit(onSubmit)}>
      <TextArea
        label="Reason"
        hint="It stands beside every alert that the list has, and in the history of the devices."
        maxLength={LIMITS.descriptionCharacters}
        {...form.text('reason')}
      />
      <TextArea
        label="Contents"
        rows={8}
        spellCheck={false}
        hint="Lines as sha256sum writes them, or a JSON list of objects with path and sha256."
        {...form.text('contents')}
      />
      <div className="row">
        <label className="button button-small file-choose">
          <input
            type="file"
            className="visually-hidden"
            aria-label="Choose a file with the contents"
            onChange={(event) => void choose(event)}
          />
          <Icon name="file" size={15} />
          Choose a file
        </label>
      </div>
      <TextInput
        label="Folder"
        optional
        mono
        hint="Where relative paths of the list are on the devices."
        maxLength={LIMITS.pathCharacters}
        {...form.text('folder')}
      />
      <TextInput label="Ends after (hours)" type="number" min={1} {...form.text('hours')} />
      <ScopeFields orgId={orgId} form={form} />
      <footer className="form-foot">
        <Button onClick={() => navigate(paths.expected)}>Cancel</Button>
        <Button tone="primary" type="submit" busy={busy}>
          Add the list
        </Button>
      </footer>
      {quit}
    </form>
  );
}
