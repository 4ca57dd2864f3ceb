import { useEffect, useState } from 'react';

const TYPING_MS = 250;

/** The value once it has not changed for a moment: for searches while typing. */
export function useDebounced<T>(value: T): T {
  const [settled, setSettled] = useState(value);
  useEffect(() => {
    const timer = setTimeout(() => setSettled(value), TYPING_MS);
    return () => clearTimeout(timer);
  }, [value]);
  return settled;
}
