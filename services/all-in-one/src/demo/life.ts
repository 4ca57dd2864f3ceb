import { appendFile, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import type { Repeating, Timers } from '@sentinel-node/platform';

const JOURNAL_MS = 3_000;
const ACCESS_MS = 2_000;
const SETTINGS_MS = 45_000;
/** Size at which the access log is rotated. */
const ROTATE_BYTES = 4_096;
const ARCHIVES_KEPT = 3;

/** Changes the demonstration's files: both logs grow, the access log is rotated, the settings change. */
export function startLife(folder: string, timers: Timers, now: () => number): { stop(): Promise<void> } {
  let count = 0;
  const line = (what: string) => `${new Date(now()).toISOString()} ${what} ${(count += 1)}\n`;
  const jobs: Repeating[] = [
    timers.every(JOURNAL_MS, () => grow(join(folder, 'journal.log'), line('measured'))),
    timers.every(ACCESS_MS, async () => {
      const path = join(folder, 'access.log');
      await rotateWhenLarge(path);
      await appendFile(path, line('GET /'));
    }),
    timers.every(SETTINGS_MS, () => changeSettings(join(folder, 'settings.json'))),
  ];
  return { stop: async () => void (await Promise.all(jobs.map((job) => job.stop()))) };
}

/** Appends to a file, unless a person has moved the file away. */
async function grow(path: string, text: string): Promise<void> {
  if ((await sizeOf(path)) !== undefined) await appendFile(path, text);
}

async function rotateWhenLarge(path: string): Promise<void> {
  const size = await sizeOf(path);
  if (size === undefined || size < ROTATE_BYTES) return;
  await rm(`${path}.${ARCHIVES_KEPT}`, { force: true });
  for (let number = ARCHIVES_KEPT - 1; number >= 1; number -= 1) {
    if ((await sizeOf(`${path}.${number}`)) !== undefined)
      await rename(`${path}.${number}`, `${path}.${number + 1}`);
  }
  await rename(path, `${path}.1`);
}

async function changeSettings(path: string): Promise<void> {
  if ((await sizeOf(path)) === undefined) return;
  const days = Number(/"retentionDays": (\d+)/.exec(await readFile(path, 'utf8'))?.[1] ?? 30);
  await writeFile(path, `{"retentionDays": ${days >= 90 ? 30 : days + 1}}\n`);
}

async function sizeOf(path: string): Promise<number | undefined> {
  return (await stat(path).catch(() => undefined))?.size;
}
