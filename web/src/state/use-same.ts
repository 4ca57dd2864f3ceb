import { useState } from 'react';

/** The object of an earlier rendering while it says the same, so that effects and callbacks see no change. */
export function useSame<T extends object>(value: T): T {
  const [kept, keep] = useState(value);
  if (kept === value || JSON.stringify(kept) === JSON.stringify(value)) return kept;
  keep(value);
  return value;
}
