import type { File } from '../answers.ts';
import { everyWord } from '../format.ts';

export const frequencyWord = (file: Pick<File, 'monitoringFrequency' | 'interval'>): string =>
  file.monitoringFrequency === 'FOLLOW' ? 'Continuous' : everyWord(file.interval ?? 1);
