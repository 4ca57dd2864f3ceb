import type { Alert } from '../answers.ts';
import { serverNow } from '../state/clock.ts';

/** Returns whether the alert's public link has expired, also since the alert was read. */
export const hasEnded = ({ shareExpiresAt }: Alert): boolean =>
  shareExpiresAt !== undefined && Date.parse(shareExpiresAt) <= serverNow();
