/** Form values of a list of expected changes. */
import { LIMITS, type CreateExpected, type ExpectedEntry } from '@sentinel-node/contracts';
import { isRecord } from '../narrow.ts';
import { newScope, scopeErrors, scopeOf, type ScopeValues } from '../forms/maintenance-values.ts';
import { atLeast, required } from '../forms/rules.ts';
import type { Errors } from '../forms/use-form.ts';

const HOUR_MS = 3_600_000;
const HOURS_MAX = LIMITS.expectedDaysMax * 24;

export interface ExpectedValues extends ScopeValues {
  reason: string;
  hours: string;
  /** Lines of sha256sum, or JSON. */
  contents: string;
  folder: string;
}

export const newExpected: ExpectedValues = { ...newScope, reason: '', hours: '24', contents: '', folder: '' };

const isJson = (text: string): boolean => /^\s*[[{]/.test(text);

/** Parses `[{"path": …, "sha256": …}]`, also as `entries` of an object; undefined for other JSON. */
function entriesOf(text: string): ExpectedEntry[] | undefined {
  try {
    const value: unknown = JSON.parse(text);
    const list = isRecord(value) ? value['entries'] : value;
    if (!Array.isArray(list)) return undefined;
    const entries = list.map((one: unknown) => {
      const { path, sha256 } = isRecord(one) ? one : {};
      return typeof path === 'string' && typeof sha256 === 'string' ? { path, sha256 } : undefined;
    });
    return entries.every((entry) => entry !== undefined) ? entries : undefined;
  } catch {
    return undefined;
  }
}

function contentsError(contents: string): string | undefined {
  if (contents.length > LIMITS.expectedBytes) return 'At most 1 MiB at once';
  if (isJson(contents) && entriesOf(contents) === undefined)
    return 'It is no JSON list of objects with path and sha256';
  return required(contents, 'Paste the list, or choose a file');
}

export const expectedErrors = (values: ExpectedValues): Errors<ExpectedValues> => ({
  ...scopeErrors(values),
  reason: required(values.reason, 'Reason is required'),
  hours: atLeast(values.hours, 1, HOURS_MAX, `A number from 1 to ${HOURS_MAX}`),
  contents: contentsError(values.contents),
});

/** Converts valid form values to a request. @param now ms since 1970 */
export function expectedRequest(values: ExpectedValues, now: number): CreateExpected {
  const { reason, hours, contents, folder } = values;
  const entries = isJson(contents) ? entriesOf(contents) : undefined;
  return {
    reason: reason.trim(),
    scope: scopeOf(values),
    end: new Date(now + Number(hours) * HOUR_MS).toISOString(),
    ...(entries === undefined ? { checksums: contents } : { entries }),
    ...(folder.trim() !== '' && { folder: folder.trim() }),
  };
}
