import type { Alert } from '@sentinel-node/contracts';

/** The public link of the alert has run out, also when that happened since the alert was read. */
export const hasEnded = ({ shareExpiresAt }: Alert): boolean =>
  shareExpiresAt !== undefined && Date.parse(shareExpiresAt) <= Date.now();
