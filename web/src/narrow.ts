/** Questions about values that come from outside: an input, a note, a frame, the browser's storage. */

/** Whether a list of texts holds the value. */
export const isOneOf = <T extends string>(all: readonly T[], value: unknown): value is T =>
  all.some((one) => one === value);

export const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null;
