/** Doubles from `first` to `longest`, each wait shortened at random by up to a half. @param chance of [0, 1) */
export function backoffMs(failures: number, first: number, longest: number, chance: number): number {
  const full = Math.min(longest, first * 2 ** Math.min(failures, 30));
  return Math.floor(full * (1 - chance / 2));
}
