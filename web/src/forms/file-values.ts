import { LIMITS, FREQUENCIES } from '@sentinel-node/contracts';
import type { FileInput, File } from '../answers.ts';
import { isOneOf } from '../narrow.ts';
import { LABEL_LINE, labelsError, labelsOf } from './labels.ts';
import { intervalError, required } from './rules.ts';
import type { Errors, ListTexts } from './use-form.ts';

/** Form values of one file. */
export interface FileValues {
  fileName: string;
  fileDescription: string;
  fileType: string;
  filePath: string;
  /** The labels' text. */
  fileLabels: string;
  monitoringFrequency: string;
  isFileRolled: string;
  rolledFilenameRegexp: string;
  isFileModifiable: string;
  /** Used only for a file that must not change. */
  watchAttributes: boolean;
  fileInterval: string;
  monitoringEnabled: boolean;
}

/** One file's fields in a form of several files. */
export interface FileDraft {
  key: number;
  values: FileValues;
  touched: ReadonlySet<keyof FileValues>;
}

export const newFile: FileValues = {
  fileName: '',
  fileDescription: '',
  fileType: '',
  filePath: '',
  fileLabels: '',
  monitoringFrequency: '',
  isFileRolled: '',
  rolledFilenameRegexp: '',
  isFileModifiable: '',
  watchAttributes: true,
  fileInterval: String(LIMITS.fileIntervalSecondsDefault),
  monitoringEnabled: true,
};

export const fileLists: ListTexts<FileValues> = { fileLabels: LABEL_LINE };

export const yesNo = (value: boolean): string => (value ? 'yes' : 'no');

export const fileValues = (file: File): FileValues => ({
  fileName: file.name,
  fileDescription: file.description,
  fileType: file.type,
  filePath: file.path,
  fileLabels: LABEL_LINE.text(file.labels ?? []),
  monitoringFrequency: file.monitoringFrequency,
  isFileRolled: yesNo(file.rolled),
  rolledFilenameRegexp: file.rolledFilenameRegexp ?? '',
  isFileModifiable: yesNo(file.modifiable),
  watchAttributes: file.watchAttributes === true,
  fileInterval: String(
    file.interval ??
      (isOneOf(FREQUENCIES, file.monitoringFrequency) ? LIMITS.fileIntervalSecondsDefault : ''),
  ),
  monitoringEnabled: file.enabled,
});

export function fileErrors(values: FileValues): Errors<FileValues> {
  const { fileIntervalSecondsMin: min, fileIntervalSecondsMax: max } = LIMITS;
  const probe = values.monitoringFrequency === 'PROBE';
  const rolled = values.isFileRolled === 'yes';
  return {
    fileName: required(values.fileName, 'File name is required'),
    filePath: required(values.filePath, 'File path is required'),
    fileLabels: labelsError(values.fileLabels, LIMITS.labelsPerFile),
    fileType: required(values.fileType, 'File type is required'),
    isFileModifiable: required(values.isFileModifiable, 'Is file editable is required'),
    monitoringFrequency: required(values.monitoringFrequency, 'Monitoring frequency is required'),
    isFileRolled: required(values.isFileRolled, 'Is file rolled is required'),
    fileInterval: probe
      ? intervalError(values.fileInterval, min, max, 'Positive interval number is required')
      : undefined,
    rolledFilenameRegexp: rolled
      ? required(values.rolledFilenameRegexp, 'Filename regexp is required')
      : undefined,
  };
}

/** A form has words that this version knows, or the file's own: the server that gave one that is not known takes it. */
const isType = (word: string): word is FileInput['type'] => word !== '';
const isFrequency = (word: string): word is FileInput['monitoringFrequency'] => word !== '';

/** Converts valid form values to a request. */
export function fileRequest(values: FileValues, id: string | null): FileInput {
  const { monitoringFrequency, fileInterval } = values;
  const hasInterval =
    monitoringFrequency === 'PROBE' || (!isOneOf(FREQUENCIES, monitoringFrequency) && fileInterval !== '');
  const rolled = values.isFileRolled === 'yes';
  const modifiable = values.isFileModifiable === 'yes';
  return {
    ...(id !== null && { id }),
    name: values.fileName.trim(),
    description: values.fileDescription,
    path: values.filePath,
    ...((id !== null || values.fileLabels.trim() !== '') && { labels: labelsOf(values.fileLabels) }),
    type: isType(values.fileType) ? values.fileType : 'TEXT',
    monitoringFrequency: isFrequency(monitoringFrequency) ? monitoringFrequency : 'FOLLOW',
    ...(hasInterval && { interval: Number(fileInterval) }),
    rolled,
    ...(rolled && { rolledFilenameRegexp: values.rolledFilenameRegexp }),
    modifiable,
    ...(!modifiable && { watchAttributes: values.watchAttributes }),
    enabled: values.monitoringEnabled,
  };
}

const FEE_STEP = 20;

/** Returns the fee threshold that the new files would cross, or null. Fees rise at multiples of 20 files. */
export function crossedThreshold(present: number, added: number): number | null {
  const next =
    (Math.floor(present / FEE_STEP) + (present % FEE_STEP === 0 && present > 0 ? 0 : 1)) * FEE_STEP;
  return present + added > next ? next : null;
}
