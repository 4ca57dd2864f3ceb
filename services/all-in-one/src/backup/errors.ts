import { PortError } from '@sentinel-node/platform';

/** The folder does not suit a backup, or the backup is incomplete. Nothing was changed. */
export class BackupError extends PortError {
  constructor(message: string, options?: ErrorOptions) {
    super('BACKUP', message, options);
  }
}
