import { PATH_PATTERN, VISIBLE_PATTERN } from '@sentinel-node/contracts';
import type { FieldError } from './api-error.ts';

/** The properties of typebox's validation errors that are used here. */
interface SchemaError {
  readonly keyword: string;
  readonly instancePath: string;
  readonly params: object;
  readonly message: string;
}

/** Returns one error a member, with the pointer of the member itself. */
export function fieldErrors(errors: readonly SchemaError[]): FieldError[] {
  const found = new Map<string, FieldError>();
  for (const error of withoutNull(errors)) {
    for (const field of describe(error)) {
      const key = `${field.path} ${field.message}`;
      if (!found.has(key)) found.set(key, field);
    }
  }
  return [...found.values()];
}

/** Leaves out that a member that may be null is not, where another error says what is wrong with its value. */
function withoutNull(errors: readonly SchemaError[]): readonly SchemaError[] {
  const nulls = new Set(errors.filter(isNullExpected).map(({ instancePath }) => instancePath));
  if (nulls.size === 0) return errors;
  const saysLess = (error: SchemaError): boolean =>
    isNullExpected(error) || (error.keyword === 'anyOf' && nulls.has(error.instancePath));
  const telling = errors.filter((error) => !saysLess(error)).map(({ instancePath }) => instancePath);
  const isTold = ({ instancePath: path }: SchemaError): boolean =>
    telling.some((one) => one === path || one.startsWith(`${path}/`));
  return errors.filter((error) => !saysLess(error) || !isTold(error));
}

const isNullExpected = ({ keyword, params }: SchemaError): boolean =>
  keyword === 'type' && 'type' in params && params.type === 'null';

function describe({ keyword, instancePath: path, params, message }: SchemaError): FieldError[] {
  const details = params as {
    readonly requiredProperties?: readonly string[];
    readonly additionalProperties?: readonly string[];
    readonly allowedValue?: unknown;
    readonly allowedValues?: readonly unknown[];
    readonly pattern?: string;
  };
  switch (keyword) {
    case 'required':
      return (details.requiredProperties ?? []).map((name) => member(path, name, 'is required'));
    case 'additionalProperties':
      return (details.additionalProperties ?? []).map((name) => member(path, name, 'is not known'));
    // This error comes together with `additionalProperties`, which names the same member.
    case 'boolean':
      return [];
    case 'const':
      return [{ path, message: `must be ${JSON.stringify(details.allowedValue)}` }];
    case 'enum':
      return [{ path, message: `must be one of ${(details.allowedValues ?? []).join(', ')}` }];
    case 'pattern':
      return [{ path, message: PATTERN_WORDS[details.pattern ?? ''] ?? message }];
    default:
      return [{ path, message }];
  }
}

/** Messages for patterns that mean nothing to people. */
const PATTERN_WORDS: Readonly<Record<string, string>> = {
  [VISIBLE_PATTERN]: 'must not be blank',
  [PATH_PATTERN]: 'must not be blank or hold the character NUL',
};

function member(path: string, name: string, message: string): FieldError {
  return { path: `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, message };
}
