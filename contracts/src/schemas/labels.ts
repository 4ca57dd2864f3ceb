/** Labels of devices and files: `key:value`, as filters and scopes take them. */
import { Type } from 'typebox';
import { LIMITS } from '../limits.ts';

const { labelKeyCharacters, labelValueCharacters } = LIMITS;

/** The key has no colon: the first colon of a label ends the key. */
export const LABEL_PATTERN = `^[a-z0-9._/-]{1,${labelKeyCharacters}}:[^\\x00-\\x1f\\x7f]{1,${labelValueCharacters}}$`;
export const LabelSchema = Type.String({ pattern: LABEL_PATTERN, description: 'key:value' });

const labelsOf = (maxItems: number) =>
  Type.Array(LabelSchema, { maxItems, description: 'each key once; absent in a request: as they are' });
export const DeviceLabelsSchema = labelsOf(LIMITS.labelsPerDevice);
export const FileLabelsSchema = labelsOf(LIMITS.labelsPerFile);

export const labelKey = (label: string): string => label.slice(0, label.indexOf(':'));
