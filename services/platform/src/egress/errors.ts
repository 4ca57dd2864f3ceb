import { PortError } from '../ports/errors.ts';

/** The rules do not allow the target; nothing was sent. */
export class TargetRefusedError extends PortError {
  constructor(message: string) {
    super('TARGET_REFUSED', message);
  }
}

/** The target gives no answer: no name, no connection, no TLS, or not in time. */
export class TargetUnavailableError extends PortError {
  constructor(message: string) {
    super('TARGET_UNAVAILABLE', message);
  }
}
