import { PortError } from '@sentinel-node/platform';

/** A backup or restore is impossible; the message says why. */
export class BackupError extends PortError {
  constructor(message: string, options?: ErrorOptions) {
    super('BACKUP', message, options);
  }
}
