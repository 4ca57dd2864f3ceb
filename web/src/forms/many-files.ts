/** Reads many files of a device from pasted text: one path per line, or CSV whose first line names the columns. */
import { csvQuoted, entryOf, LIMITS, pathOn } from '@sentinel-node/contracts';
import type { TemplateFile } from '../answers.ts';
import { parseCsv, type CsvRow } from './csv.ts';
import { fileErrors, yesNo, type FileValues } from './file-values.ts';

export interface ManyRow {
  /** First line in the text, from 1. */
  line: number;
  /** Last line in the text. */
  lastLine: number;
  values: FileValues;
  /** Errors; empty when the file can be added. */
  errors: string[];
}

export interface ManyFiles {
  rows: ManyRow[];
  /** Why the whole text is unusable; null when it is usable. */
  problem: string | null;
}

/** The pasted text, and how it is read. */
export interface ManyDraft {
  text: string;
  /** Settings for lines without their own. */
  common: FileValues;
}

/** The device's limits for new paths. */
export interface Place {
  workingDirectory: string;
  /** Paths of the device's files and of other forms. */
  taken: readonly string[];
  /** Number of files that the device can still take. */
  room: number;
}

/** Most characters of the text, above the server's limit of one request. */
export const MOST_CHARACTERS = 2_000_000;

type Setting = (value: string) => Partial<FileValues> | null;

const oneOf = <K extends keyof FileValues>(name: K, words: Record<string, FileValues[K]>): Setting => {
  return (value) => {
    const found = Object.hasOwn(words, value.toLowerCase()) ? words[value.toLowerCase()] : undefined;
    return found === undefined ? null : ({ [name]: found } as Partial<FileValues>);
  };
};
const yesOrNo = { yes: 'yes', no: 'no', true: 'yes', false: 'no' };
const onOrOff = { yes: true, no: false, true: true, false: false, on: true, off: false };

/** Columns of the CSV and their values; an empty cell keeps the common setting. */
const settings: Record<string, Setting> = {
  path: (filePath) => ({ filePath }),
  name: (fileName) => ({ fileName }),
  description: (fileDescription) => ({ fileDescription }),
  type: oneOf('fileType', { text: 'TEXT', binary: 'BINARY' }),
  frequency: oneOf('monitoringFrequency', {
    interval: 'PROBE',
    probe: 'PROBE',
    continuous: 'FOLLOW',
    follow: 'FOLLOW',
  }),
  interval: (fileInterval) => ({ fileInterval }),
  editable: oneOf('isFileModifiable', yesOrNo),
  rolled: oneOf('isFileRolled', yesOrNo),
  regexp: (rolledFilenameRegexp) => ({ rolledFilenameRegexp }),
  attributes: oneOf('watchAttributes', onOrOff),
  monitoring: oneOf('monitoringEnabled', onOrOff),
  labels: (fileLabels) => ({ fileLabels }),
};
export const COLUMN_NAMES = Object.keys(settings);
const columns: ReadonlyMap<string, Setting> = new Map(Object.entries(settings));

/** Returns the files of an enrolment token's template as CSV that `readManyFiles` reads. */
export function templateText(files: readonly TemplateFile[]): string {
  const rows = files.map((file) => [
    file.path,
    file.name,
    file.description ?? '',
    file.type.toLowerCase(),
    // A word that is not known comes out as it is, so that its line says that it cannot be taken.
    entryOf({ PROBE: 'interval', FOLLOW: 'continuous' }, file.monitoringFrequency) ??
      file.monitoringFrequency,
    String(file.interval ?? ''),
    yesNo(file.modifiable),
    yesNo(file.rolled),
    file.rolledFilenameRegexp ?? '',
    yesNo(file.watchAttributes ?? true),
    yesNo(file.enabled),
    (file.labels ?? []).join(', '),
  ]);
  return [COLUMN_NAMES, ...rows].map((cells) => cells.map(csvQuoted).join(';')).join('\n');
}

/** Parses the pasted text. @param common settings for lines without their own */
export function readManyFiles(text: string, common: FileValues, place: Place): ManyFiles {
  if (text.length > MOST_CHARACTERS)
    return {
      rows: [],
      problem: `The text is too long: at most ${MOST_CHARACTERS.toLocaleString('en-US')} characters.`,
    };
  const read = readRows(text, common);
  if (typeof read === 'string') return { rows: [], problem: read };
  const seen = new Map(place.taken.map((path) => [samePath(place.workingDirectory, path), 0]));
  const rows = read.map((row, at) => {
    const errors = [...row.errors, ...errorsOf(row.values)];
    const path = samePath(place.workingDirectory, row.values.filePath);
    const first = seen.get(path);
    if (first !== undefined)
      errors.push(first === 0 ? 'The device has this path already' : `The same path as line ${first}`);
    else if (row.values.filePath.trim() !== '') seen.set(path, row.line);
    if (at >= place.room)
      errors.push(`A device has at most ${LIMITS.filesPerDevice.toLocaleString('en-US')} files`);
    return { ...row, errors };
  });
  return { rows, problem: null };
}

function readRows(text: string, common: FileValues): ManyRow[] | string {
  const [head = ''] = text.split(/\r?\n/).filter((line) => line.trim() !== '');
  const separator = [';', ',', '\t'].find((sign) => head.includes(sign));
  const names = head
    .replace('\ufeff', '')
    .split(separator ?? ';')
    .map((name) => name.trim().toLowerCase());
  if (!names.includes('path')) return pathRows(text, common);
  const unknown = names.filter((name) => !columns.has(name));
  if (unknown.length > 0)
    return `The first line names a column that is not known: ${unknown.join(', ')}. Known are ${COLUMN_NAMES.join(', ')}.`;
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return `The first line names the column ${twice} twice.`;
  const records = parseCsv(text, separator ?? ';');
  if ('openQuote' in records) return `The quotation that begins in line ${records.openQuote} does not end.`;
  return records.rows.slice(1).map((row) => csvRow(row, names, common));
}

function pathRows(text: string, common: FileValues): ManyRow[] {
  return text.split(/\r?\n/).flatMap((raw, at): ManyRow[] => {
    const filePath = raw.replace('\ufeff', '').trim();
    return filePath === ''
      ? []
      : [{ line: at + 1, lastLine: at + 1, values: named({ ...common, filePath }), errors: [] }];
  });
}

function csvRow({ line, lastLine, cells }: CsvRow, names: string[], common: FileValues): ManyRow {
  const errors: string[] = [];
  if (cells.length > names.length) errors.push('More cells than the first line has columns');
  let values = { ...common };
  for (const [at, name] of names.entries()) {
    const cell = cells[at]?.trim() ?? '';
    if (cell === '') continue;
    const setting = columns.get(name)?.(cell) ?? null;
    if (setting === null) errors.push(`“${cell}” is no value of ${name}`);
    else values = { ...values, ...setting };
  }
  return { line, lastLine, values: named(values), errors };
}

/** Returns the values with a default name from the path. */
function named(values: FileValues): FileValues {
  if (values.fileName !== '') return values;
  const base = values.filePath.split(/[\\/]/).filter(Boolean).at(-1) ?? values.filePath;
  return { ...values, fileName: base.slice(0, LIMITS.nameCharacters) };
}

function errorsOf(values: FileValues): string[] {
  const long: [text: string, most: number, words: string][] = [
    [values.fileName, LIMITS.nameCharacters, 'The name'],
    [values.filePath, LIMITS.pathCharacters, 'The path'],
    [values.fileDescription, LIMITS.descriptionCharacters, 'The description'],
    [values.rolledFilenameRegexp, LIMITS.regexpCharacters, 'The regexp'],
  ];
  const tooLong = long.flatMap(([text, most, words]) =>
    text.length > most ? [`${words} is longer than ${most.toLocaleString('en-US')} characters`] : [],
  );
  return [...Object.values(fileErrors(values)).filter((error) => error !== undefined), ...tooLong];
}

/** Returns a normal form of a path for comparing; the server uses the same rule. */
function samePath(workingDirectory: string, path: string): string {
  const whole = pathOn(workingDirectory, path.trim());
  const isWindows = whole.includes('\\') && !whole.startsWith('/');
  const parts: string[] = [];
  for (const part of (isWindows ? whole.toLowerCase().replaceAll('/', '\\') : whole).split(
    isWindows ? '\\' : '/',
  )) {
    if (part === '..') parts.pop();
    else if (part !== '' && part !== '.') parts.push(part);
  }
  return parts.join('/');
}
