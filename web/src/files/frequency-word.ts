import type { File } from '../answers.ts';
import { everyWord, wordFor } from '../format.ts';

export const frequencyWord = ({
  monitoringFrequency,
  interval,
}: Pick<File, 'monitoringFrequency' | 'interval'>): string =>
  monitoringFrequency === 'PROBE'
    ? everyWord(interval ?? 1)
    : wordFor({ FOLLOW: 'Continuous' }, monitoringFrequency);
