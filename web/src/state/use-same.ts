import { useState } from 'react';

/** Returns the earlier rendering's object while the content is equal, so that effects and callbacks see no change. */
export function useSame<T extends object>(value: T): T {
  const [kept, keep] = useState(value);
  if (kept === value || JSON.stringify(kept) === JSON.stringify(value)) return kept;
  keep(value);
  return value;
}
