import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { Test } from 'tap';

/**
 * Makes a folder outside the project, removed after the test; call this before starting a process that writes
 * there.
 */
export function temporaryFolder(t: Test): string {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-e2e-'));
  t.teardown(() => rmSync(folder, { recursive: true, force: true, maxRetries: 5, retryDelay: 50 }));
  return folder;
}
