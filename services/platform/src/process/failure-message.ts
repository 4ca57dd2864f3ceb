import { ConfigError } from '../config/config-error.ts';
import { WorkerFailure } from '../embedded/worker-channel.ts';
import { PortError } from '../ports/errors.ts';
import { UnpublishableError } from '../streams/unpublishable-error.ts';
import { UnreadableRecordError } from '../streams/unreadable-record-error.ts';

/**
 * Returns the cause and the remedy of a failure for a person at a terminal, without a stack; undefined for an
 * unexpected error.
 */
export function failureMessage(error: unknown): string | undefined {
  if (error instanceof ConfigError) return error.message;
  if (error instanceof PortError || error instanceof WorkerFailure || error instanceof UnpublishableError)
    return error.message;
  if (error instanceof UnreadableRecordError)
    return `${error.message}: sentinel audit says what else is not as it was written`;
  if (!(error instanceof Error)) return undefined;
  return ofSystem(error);
}

function ofSystem(error: NodeJS.ErrnoException & { address?: string; port?: number }): string | undefined {
  const { code, syscall, path, address, port } = error;
  if (code === undefined) return undefined;
  if (syscall === 'listen' || syscall === 'getaddrinfo') return ofListening(code, address, port);
  return path === undefined ? undefined : `${path}: ${FILE_CAUSES[code] ?? `the system answers ${code}`}`;
}

function ofListening(code: string, address = 'the host', port = 0): string {
  const place = `port ${port} of ${address}`;
  switch (code) {
    case 'EADDRINUSE':
      return `${place} is in use; stop what uses it, or set SENTINEL_PORT`;
    case 'EACCES':
      return `${place} may not be used without more rights; set SENTINEL_PORT to 1024 or above`;
    default:
      return `cannot listen on ${place} (${code}); set SENTINEL_HOST to an address of this machine`;
  }
}

const FILE_CAUSES: Readonly<Record<string, string>> = {
  EACCES: 'no permission to use it; change its owner or mode, or choose another place',
  EPERM: 'no permission to use it; change its owner or mode, or choose another place',
  EROFS: 'the file system can only be read; choose another place',
  ENOENT: 'there is no such file',
  ENOTDIR: 'a part of this path is not a folder',
  EISDIR: 'this is a folder, not a file',
  EEXIST: 'something else is there already',
  ENOSPC: 'the disk is full',
};
