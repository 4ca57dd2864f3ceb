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
  for (const error of errors) {
    for (const field of describe(error)) {
      const key = `${field.path} ${field.message}`;
      if (!found.has(key)) found.set(key, field);
    }
  }
  return [...found.values()];
}

function describe({ keyword, instancePath: path, params, message }: SchemaError): FieldError[] {
  const details = params as {
    readonly requiredProperties?: readonly string[];
    readonly additionalProperties?: readonly string[];
    readonly allowedValue?: unknown;
    readonly allowedValues?: readonly unknown[];
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
    default:
      return [{ path, message }];
  }
}

function member(path: string, name: string, message: string): FieldError {
  return { path: `${path}/${name.replaceAll('~', '~0').replaceAll('/', '~1')}`, message };
}
