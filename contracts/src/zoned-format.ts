/**
 * Returns a function that gives the formatter of these options for a time zone (IANA name). The last one is kept: making a
 * formatter takes a hundred times as long as using it, and a list shows its times in one zone. Without a zone it is that of
 * the machine, which can change, so nothing is kept. The formatter is in American English.
 * @throws RangeError for an unknown zone
 */
export function zonedFormats(
  options: Intl.DateTimeFormatOptions,
): (timeZone?: string) => Intl.DateTimeFormat {
  let last: { readonly timeZone: string; readonly format: Intl.DateTimeFormat } | undefined;
  return (timeZone) => {
    if (timeZone === undefined) return new Intl.DateTimeFormat('en-US', options);
    if (last?.timeZone !== timeZone)
      last = { timeZone, format: new Intl.DateTimeFormat('en-US', { ...options, timeZone }) };
    return last.format;
  };
}
