import { inspect } from 'node:util';
import type { Head } from './domain/head.ts';

type Form = (value: unknown) => boolean;

const isWhole: Form = (value) => Number.isSafeInteger(value);
const isText: Form = (value) => typeof value === 'string';
const isFlag: Form = (value) => typeof value === 'boolean';
const isObject: Form = (value) =>
  typeof value === 'object' && value !== null && Object.getPrototypeOf(value) === Object.prototype;
const orNull =
  (is: Form): Form =>
  (value) =>
    value === null || is(value);
const orAbsent =
  (is: Form): Form =>
  (value) =>
    value === undefined || is(value);

const FORM: { readonly [Member in keyof Required<Head>]: Form } = {
  rev: isWhole,
  offset: isWhole,
  time: isWhole,
  policy: orNull(isObject),
  policyHash: orNull(isText),
  number: orNull(isWhole),
  linkHash: orNull(isText),
  lastLinkId: orNull(isText),
  last: orNull(isObject),
  attributes: orAbsent(isObject),
  missing: isFlag,
  awaitedVersion: orNull(isWhole),
  awaitedMissing: orAbsent((value) => value === true),
  awaitsNext: isFlag,
  enabledAgain: orNull(isWhole),
  highest: orNull(isObject),
  open: isObject,
  sequenceBackAt: orNull(isWhole),
  sequenceReusedAt: orNull(isWhole),
  noticeId: orNull(isText),
  checkedAt: orNull(isWhole),
  contactAt: orNull(isWhole),
  deleted: isFlag,
  parked: orAbsent(isObject),
};

/** Returns the name and the value of a member that no version writes so; undefined when all have their form. */
export function misfitOf(head: Head): string | undefined {
  for (const [member, fits] of Object.entries(FORM)) {
    const value: unknown = Reflect.get(head, member);
    if (!fits(value)) return `${member} ${inspect(value)}`;
  }
  return undefined;
}
