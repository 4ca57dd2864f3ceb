const two = (value: number): string => String(value).padStart(2, '0');

/** Returns `Events_11_21_2026.csv`: month, day and year in the machine's zone. */
export function csvName(kind: 'Events' | 'Alerts' | 'Chain', now: Date): string {
  return `${kind}_${two(now.getMonth() + 1)}_${two(now.getDate())}_${now.getFullYear()}.csv`;
}
