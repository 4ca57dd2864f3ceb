import { PortError } from '@sentinel-node/platform';

/** The folder is not what a backup needs, or not a whole backup. Nothing was changed. */
export class BackupError extends PortError {
  constructor(message: string, options?: ErrorOptions) {
    super('BACKUP', message, options);
  }
}
