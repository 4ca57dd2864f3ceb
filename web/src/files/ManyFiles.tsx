import { visible } from '@sentinel-node/contracts';
import type { Enrolment } from '../answers.ts';
import { useAtomValue } from 'jotai';
import { useId, useState } from 'react';
import {
  COLUMN_NAMES,
  templateText,
  type ManyDraft,
  type ManyFiles as Read,
  type ManyRow,
} from '../forms/many-files.ts';
import type { FileValues } from '../forms/file-values.ts';
import { capitalised, plural, typedEvery, wordFor } from '../format.ts';
import { api } from '../state/api.ts';
import { isAdminAtom, userAtom } from '../state/session.ts';
import { useResource } from '../state/use-resource.ts';
import { Button } from '../ui/Button.tsx';
import { Select, TextArea, TextInput } from '../ui/Field.tsx';
import { answers, frequencies, optionsWith, types } from './file-options.ts';
import '../styles/many-files.css';

interface ManyFilesProps {
  draft: ManyDraft;
  read: Read;
  /** Whether a submission was tried, after which an empty text is an error too. */
  tried: boolean;
  /** Whether the person has just opened this part: the button for it is gone. */
  takesFocus: boolean;
  onChange: (draft: ManyDraft) => void;
  onClose: () => void;
}

/** Most lines of the preview; lines with errors come first. */
const SHOWN = 100;
const CSV_BYTES_MAX = 8 * 1_048_576;

/** Shows the field for pasted paths or CSV, the common settings, and a preview of each line. */
export function ManyFiles({ draft, read, tried, takesFocus, onChange, onClose }: ManyFilesProps) {
  const [unread, setUnread] = useState<string | null>(null);
  const { rows, problem } = read;
  const wrong = rows.filter(({ errors }) => errors.length > 0);
  const error = unread ?? problem ?? (tried && rows.length === 0 ? 'Enter at least one path' : undefined);
  const open = async (file: File | undefined): Promise<void> => {
    if (file === undefined) return;
    if (file.size > CSV_BYTES_MAX) return setUnread('The file is larger than 8 MiB.');
    try {
      const text = new TextDecoder('utf-8', { fatal: true }).decode(await file.arrayBuffer());
      setUnread(null);
      onChange({ ...draft, text });
    } catch {
      setUnread('The file is not a text in UTF-8.');
    }
  };
  return (
    <fieldset className="card many-files">
      <legend className="visually-hidden">Many files at once</legend>
      <header className="card-head">
        <h2 aria-hidden="true">Many files at once</h2>
        <button type="button" className="text-button" onClick={onClose}>
          Close
        </button>
      </header>
      <TextArea
        label="Paths or CSV"
        autoFocus={takesFocus}
        rows={8}
        spellCheck={false}
        dir="ltr"
        wrap="off"
        value={draft.text}
        error={error}
        hint={`One path a line; or CSV whose first line names its columns: ${COLUMN_NAMES.join(', ')}.`}
        onChange={({ target }) => {
          setUnread(null);
          onChange({ ...draft, text: target.value });
        }}
      />
      <FileChooser onFile={(file) => void open(file)} />
      <TemplateChoice
        text={draft.text}
        onText={(text) => {
          setUnread(null);
          onChange({ ...draft, text });
        }}
      />
      <CommonSettings common={draft.common} onChange={(common) => onChange({ ...draft, common })} />
      <Count rows={rows} wrong={wrong} />
      {wrong.length > 0 && (
        <Button
          small
          onClick={() => onChange({ ...draft, text: without(draft.text, wrong) })}
          aria-describedby="many-count"
        >
          Leave out the lines with errors
        </Button>
      )}
      {rows.length > 0 && <Preview rows={rows} wrong={wrong} />}
    </fieldset>
  );
}

function FileChooser({ onFile }: { onFile: (file: File | undefined) => void }) {
  const id = useId();
  return (
    <div className="field">
      <label htmlFor={id} className="field-label">
        Or choose a CSV file
      </label>
      <input
        id={id}
        type="file"
        accept=".csv,.txt,text/csv,text/plain"
        className="input many-chooser"
        onChange={({ target }) => {
          onFile(target.files?.[0]);
          // Clear the input, so that choosing the same file again, perhaps corrected, is a change.
          target.value = '';
        }}
      />
    </div>
  );
}

interface TemplateChoiceProps {
  text: string;
  onText: (text: string) => void;
}

/** Fills the text from an enrolment token, whose template says which files its devices have. Typed text is kept. */
function TemplateChoice({ text, onText }: TemplateChoiceProps) {
  const isAdmin = useAtomValue(isAdminAtom);
  const orgId = useAtomValue(userAtom)?.orgId ?? null;
  const { data, error, reload } = useResource<Template[]>({
    key: isAdmin && orgId !== null ? `templates ${orgId}` : null,
    load: async (signal) => templatesOf((await api().getEnrolments(orgId ?? '', signal)).enrolments),
  });
  if (!isAdmin || data?.length === 0) return null;
  if (data === undefined && error === null) return null;
  if (data === undefined)
    return (
      <p className="muted" role="status">
        The templates of the organization could not be read.{' '}
        <Button small onClick={reload}>
          Try again
        </Button>
      </p>
    );
  const chosen = data.find((template) => template.text === text);
  const isTyped = text.trim() !== '' && chosen === undefined;
  return (
    <Select
      label="Or the files of an enrolment token"
      disabled={isTyped}
      hint={isTyped ? 'Empty the text above to choose a token.' : undefined}
      options={[
        { value: '', label: 'None' },
        ...data.map(({ id, name, count }) => ({ value: id, label: `${name} (${plural(count, 'file')})` })),
      ]}
      value={chosen?.id ?? ''}
      onChange={({ target }) => onText(data.find(({ id }) => id === target.value)?.text ?? '')}
    />
  );
}

interface Template {
  id: string;
  name: string;
  /** Number of files. */
  count: number;
  text: string;
}

/** Returns the templates with files, also of tokens that have ended; of equal ones the newest. */
function templatesOf(enrolments: readonly Enrolment[]): Template[] {
  const all = enrolments
    .filter(({ template }) => template.files.length > 0)
    .map(({ id, name, template: { files } }) => ({
      id,
      name,
      count: files.length,
      text: templateText(files),
    }));
  return all.filter(({ text }, at) => all.findIndex((other) => other.text === text) === at);
}

interface CommonProps {
  common: FileValues;
  onChange: (common: FileValues) => void;
}

function CommonSettings({ common, onChange }: CommonProps) {
  const set = (name: 'fileType' | 'monitoringFrequency' | 'fileInterval' | 'isFileModifiable') => ({
    value: common[name],
    onChange: ({ target }: { target: { value: string } }) => onChange({ ...common, [name]: target.value }),
  });
  return (
    <div className="many-common" role="group" aria-label="Settings of lines that do not say otherwise">
      <p className="muted">Settings of lines that do not say otherwise</p>
      <div className="two-columns">
        <Select
          label="Type of all"
          options={optionsWith(types.slice(1), common.fileType)}
          {...set('fileType')}
        />
        <Select label="Editable, all" options={answers.slice(1)} {...set('isFileModifiable')} />
        <Select
          label="Frequency of all"
          options={optionsWith(frequencies.slice(1), common.monitoringFrequency)}
          {...set('monitoringFrequency')}
        />
        {common.monitoringFrequency === 'PROBE' && (
          <TextInput
            label="Interval of all (seconds)"
            type="number"
            min={1}
            hint={typedEvery(common.fileInterval)}
            {...set('fileInterval')}
          />
        )}
      </div>
    </div>
  );
}

function Count({ rows, wrong }: { rows: ManyRow[]; wrong: ManyRow[] }) {
  const good = rows.length - wrong.length;
  const errors = wrong.length === 0 ? '' : `, ${plural(wrong.length, 'line has', 'lines have')} errors`;
  return (
    <p id="many-count" role="status" className={wrong.length > 0 ? 'danger-text' : 'muted'}>
      {rows.length > 0 && `${plural(good, 'file')} can be added${errors}.`}
    </p>
  );
}

function Preview({ rows, wrong }: { rows: ManyRow[]; wrong: ManyRow[] }) {
  const shown = [...wrong, ...rows.filter(({ errors }) => errors.length === 0)].slice(0, SHOWN);
  const rest = rows.length - shown.length;
  return (
    <div className="many-preview" tabIndex={0} role="region" aria-label="Preview of the files">
      <table className="compact-table">
        <caption>What becomes of each line{wrong.length > 0 && ', those with errors first'}</caption>
        <thead>
          <tr>
            <th scope="col">Line</th>
            <th scope="col">File name</th>
            <th scope="col">Path</th>
            <th scope="col">Settings</th>
          </tr>
        </thead>
        <tbody>
          {shown.map((row) => (
            <PreviewRow key={row.line} row={row} />
          ))}
        </tbody>
      </table>
      {rest > 0 && <p className="muted">And {plural(rest, 'more line')} without errors or further below.</p>}
    </div>
  );
}

/** Returns `every hour`; the text as typed when it is no interval. */
const intervalWord = (text: string): string => (typedEvery(text) ?? `every ${text} s`).toLowerCase();

function frequencyOf({ monitoringFrequency, fileInterval }: FileValues): string {
  if (monitoringFrequency === 'PROBE') return intervalWord(fileInterval);
  return wordFor({ FOLLOW: 'continuous' }, monitoringFrequency);
}

function PreviewRow({ row: { line, values, errors } }: { row: ManyRow }) {
  const settings = [
    capitalised(values.fileType),
    frequencyOf(values),
    values.isFileModifiable === 'no' ? 'not editable' : 'editable',
    ...(values.isFileRolled === 'yes' ? ['rolled'] : []),
    ...(values.monitoringEnabled ? [] : ['not monitored']),
  ];
  return (
    <>
      <tr data-wrong={errors.length > 0 || undefined}>
        <th scope="row" className="num">
          {line}
        </th>
        <td className="many-text">{visible(values.fileName)}</td>
        <td className="many-text mono">{visible(values.filePath)}</td>
        <td>{settings.join(', ')}</td>
      </tr>
      {errors.length > 0 && (
        <tr className="many-errors">
          <td colSpan={4} className="danger-text">
            Line {line}: {errors.join('. ')}.
          </td>
        </tr>
      )}
    </>
  );
}

/** Returns the text without the lines of wrong rows. */
function without(text: string, wrong: ManyRow[]): string {
  const gone = new Set(
    wrong.flatMap(({ line, lastLine }) => Array.from({ length: lastLine - line + 1 }, (_, at) => line + at)),
  );
  return text
    .split(/\r?\n/)
    .filter((_, at) => !gone.has(at + 1))
    .join('\n');
}
