/** A mailbox in settings and mails. Narrower than RFC 5322 3.4: no comments, no quoting, no lists. */
export interface Mailbox {
  /** Display name; may be empty. */
  readonly name: string;
  readonly address: string;
}

const ADDRESS = /^[^\s\p{Cc}@<>"(),:;\\[\]]+@(\[(?:IPv6:)?[0-9A-Fa-f:.]+\]|[^\s\p{Cc}@<>"(),:;\\[\]]+)$/u;
/** Characters with a meaning in a header's list of addresses, or that end the header's line. */
const UNFIT_FOR_NAMES = /[\p{Cc}"<>,:;@\\]/u;
/** RFC 5321 4.5.3.1.3, less the angle brackets. */
const ADDRESS_CHARACTERS = 254;

/** Parses `Name <local@domain>` or `local@domain`; returns undefined for any other text. */
export function mailboxOf(text: string): Mailbox | undefined {
  const [, named = '', within] = /^([^<>]*)<([^<>]*)>$/.exec(text) ?? [];
  const address = within ?? text;
  if (!ADDRESS.test(address) || address.length > ADDRESS_CHARACTERS) return undefined;
  return UNFIT_FOR_NAMES.test(named) ? undefined : { name: named.trim(), address };
}
