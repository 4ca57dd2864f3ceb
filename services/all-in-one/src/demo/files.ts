import { mkdir, writeFile } from 'node:fs/promises';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import type { FileInput } from '@sentinel-node/contracts';

/**
 * Files of the demonstration: a followed log, a rolled log, a modifiable file and an unmodifiable one.
 */
export const DEMO_FILES: readonly (FileInput & { readonly contents: string })[] = [
  {
    name: 'Journal',
    description: 'A log that only grows. Change a byte in its middle.',
    path: 'journal.log',
    type: 'TEXT',
    monitoringFrequency: 'FOLLOW',
    rolled: false,
    modifiable: true,
    enabled: true,
    contents: 'The journal of the demonstration begins.\n',
  },
  {
    name: 'Access log',
    description: 'A log that is rotated every few minutes.',
    path: 'access.log',
    type: 'TEXT',
    monitoringFrequency: 'FOLLOW',
    rolled: true,
    rolledFilenameRegexp: 'access\\.log\\.[0-9]+',
    modifiable: true,
    enabled: true,
    contents: 'access log of the demonstration\n',
  },
  {
    name: 'Settings',
    description: 'A configuration that may change: every change becomes a link of its chain.',
    path: 'settings.json',
    type: 'TEXT',
    monitoringFrequency: 'PROBE',
    interval: 1,
    rolled: false,
    modifiable: true,
    enabled: true,
    contents: '{"retentionDays": 30}\n',
  },
  {
    name: 'Program',
    description: 'A program that must never change. Any change raises an alert.',
    path: 'program.sh',
    type: 'TEXT',
    monitoringFrequency: 'PROBE',
    interval: 1,
    rolled: false,
    modifiable: false,
    enabled: true,
    contents: '#!/bin/sh\necho "I am what I was."\n',
  },
];

/** Writes the missing files. */
export async function writeDemoFiles(folder: string): Promise<void> {
  await mkdir(folder, { recursive: true });
  for (const file of DEMO_FILES) {
    const path = join(folder, file.path);
    if (!existsSync(path)) await writeFile(path, file.contents);
  }
}
