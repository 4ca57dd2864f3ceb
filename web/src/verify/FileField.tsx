import { visible } from '@sentinel-node/contracts';
import { useId, useState } from 'react';
import { bytes } from '../format.ts';
import { IconButton } from '../ui/Button.tsx';
import { Icon } from '../ui/Icon.tsx';
import { FIELD_TEXTS } from './field-texts.ts';
import { takesSeveral, type FileKind } from './inputs.ts';

interface FileFieldProps {
  kind: FileKind;
  files: readonly File[];
  required?: boolean;
  onAdd: (kind: FileKind, files: File[]) => void;
  onRemove: (kind: FileKind, file: File) => void;
}

/** Field for one kind of file, chosen by keyboard or pointer, or dropped here. */
export function FileField({ kind, files, required = false, onAdd, onRemove }: FileFieldProps) {
  const id = useId();
  const [over, setOver] = useState(false);
  const { label, hint } = FIELD_TEXTS[kind];
  const drop = (event: React.DragEvent): void => {
    event.preventDefault();
    event.stopPropagation();
    setOver(false);
    onAdd(kind, [...event.dataTransfer.files]);
  };
  const choose = ({ currentTarget }: React.ChangeEvent<HTMLInputElement>): void => {
    onAdd(kind, [...(currentTarget.files ?? [])]);
    // Clear the input, so that the same file can be chosen again after it was removed or changed.
    currentTarget.value = '';
  };
  return (
    <div
      className="file-field"
      data-kind={kind}
      data-over={over || undefined}
      onDragOver={(event) => {
        event.preventDefault();
        setOver(true);
      }}
      onDragLeave={() => setOver(false)}
      onDrop={drop}
    >
      <div className="file-field-head">
        <span className="field-label">
          <span id={`${id}-label`}>{label}</span>
          {!required && <span className="field-optional"> optional</span>}
        </span>
        <label className="button button-small file-choose">
          <input
            type="file"
            className="visually-hidden"
            aria-labelledby={`${id}-label`}
            aria-describedby={`${id}-hint`}
            multiple={takesSeveral(kind)}
            onChange={choose}
          />
          <Icon name="file" size={15} />
          {files.length > 0 && !takesSeveral(kind) ? 'Choose another' : 'Choose'}
        </label>
      </div>
      <p className="field-hint" id={`${id}-hint`}>
        {hint}
      </p>
      {files.length > 0 && (
        <ul className="chosen-files" aria-label={`Chosen: ${label}`}>
          {files.map((file, at) => (
            <li key={`${at} ${file.name}`}>
              <Icon name="check" size={15} />
              <span className="grow break">{visible(file.name)}</span>
              <span className="num muted">{bytes(file.size)}</span>
              <IconButton icon="close" label={`Remove ${file.name}`} onClick={() => onRemove(kind, file)} />
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}
