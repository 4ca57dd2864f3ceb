import { shortHash } from '../format.ts';
import type { Choice } from './Combobox.tsx';

/** Returns the choices; those with the same label say the ends of their value too. An empty value is no object: it keeps its words. */
export function distinct(choices: readonly Choice[]): Choice[] {
  const times = new Map<string, number>();
  for (const { label } of choices) times.set(label, (times.get(label) ?? 0) + 1);
  return choices.map((choice) =>
    choice.value === '' || times.get(choice.label) === 1
      ? choice
      : { ...choice, label: `${choice.label} (${shortHash(choice.value)})` },
  );
}
