import type { File } from '@sentinel-node/contracts';

export const frequencyWord = (file: Pick<File, 'monitoringFrequency' | 'interval'>): string =>
  file.monitoringFrequency === 'FOLLOW' ? 'Continuous' : `Every ${file.interval ?? 1} s`;
