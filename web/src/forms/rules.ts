import { EmailSchema, isBlank } from '@sentinel-node/contracts';
import { Check } from 'typebox/value';

/** Returns whether a text is an e-mail address, by the server's schema. */
export const isEmail = (value: string): boolean => Check(EmailSchema, value);

/** Returns the message when nothing of the value is seen. */
export const required = (value: string, message: string): string | undefined =>
  isBlank(value) ? message : undefined;

/** Returns the message when the value is no whole number from `min` to `max`. */
export function atLeast(value: string, min: number, max: number, message: string): string | undefined {
  const number = Number(value);
  return value.trim() !== '' && Number.isInteger(number) && number >= min && number <= max
    ? undefined
    : message;
}

/** Returns the message when the value is no interval in whole seconds; one beyond `max` has a message of its own. */
export function intervalError(value: string, min: number, max: number, message: string): string | undefined {
  return Number(value) > max ? `At most ${max} seconds` : atLeast(value, min, max, message);
}
