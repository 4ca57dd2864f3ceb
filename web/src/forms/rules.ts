import { EmailSchema } from '@sentinel-node/contracts';
import { Check } from 'typebox/value';

/** The same rule as the server's. */
export const isEmail = (value: string): boolean => Check(EmailSchema, value);

/** The message when there is nothing but spaces. */
export const required = (value: string, message: string): string | undefined =>
  value.trim() === '' ? message : undefined;

/** The message when the value is no whole number of at least `min`. */
export function atLeast(value: string, min: number, max: number, message: string): string | undefined {
  const number = Number(value);
  return value.trim() !== '' && Number.isInteger(number) && number >= min && number <= max
    ? undefined
    : message;
}
