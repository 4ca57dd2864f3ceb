import { PortError } from '../ports/errors.ts';

/** The rules of this system do not allow the target; nothing was sent. */
export class TargetRefusedError extends PortError {
  constructor(message: string) {
    super('TARGET_REFUSED', message);
  }
}

/** There is no answer: no name, no connection, no TLS, or not in time. */
export class TargetUnavailableError extends PortError {
  constructor(message: string) {
    super('TARGET_UNAVAILABLE', message);
  }
}
