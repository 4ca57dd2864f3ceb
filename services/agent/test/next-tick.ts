import { mkdtempSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/**
 * Waits until a file that is written gets another time of change than before: before Linux 6.13 a file that is
 * written twice within some milliseconds keeps its time, and a test of two such writes finds one.
 */
export function nextTick(): void {
  const folder = mkdtempSync(join(tmpdir(), 'sentinel-tick-'));
  const probe = join(folder, 'probe');
  const written = (): number => {
    writeFileSync(probe, 'tick');
    return statSync(probe).ctimeMs;
  };
  const first = written();
  while (written() === first);
  rmSync(folder, { recursive: true });
}
