import type { AlertGrouping } from '@sentinel-node/contracts';

/** Names of the groupings, and the URL parameter that selects one group's alerts. */
export const groupings: Record<AlertGrouping, { label: string; header: string; parameter: string }> = {
  DEVICE: { label: 'By device', header: 'Device', parameter: 'device' },
  FILE: { label: 'By file', header: 'File', parameter: 'file' },
  TYPE: { label: 'By type', header: 'Alert', parameter: 'type' },
  CHANGE: { label: 'By equal content', header: 'The same change', parameter: 'content' },
};
