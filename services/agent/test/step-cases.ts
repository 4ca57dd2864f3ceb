import { createHash } from 'node:crypto';
import type { Version } from '@sentinel-node/contracts';
import { NO_MEMORY, type FileMemory } from '../src/domain/memory.ts';
import type { StepContext } from '../src/domain/step.ts';

export const NOW = 1_764_000_000_000;
export const IDENTITY = 'FOLLOW:/var/log/a.log';

export const version = (text: string): Version => ({
  length: text.length,
  hash: createHash('sha256').update(text).digest('hex'),
});

/** Returns the context of a look at a followed file, not the first since the start. */
export const context = (over: Partial<StepContext> = {}): StepContext => ({
  nowMs: NOW,
  sequenceMs: NOW,
  frequency: 'FOLLOW',
  identity: IDENTITY,
  serverSequence: 0,
  configVersion: 3,
  instanceId: 'i',
  first: false,
  ...over,
});

/** Returns the memory of a file whose last report had this text as content. */
export const known = (text: string, over: Partial<FileMemory> = {}): FileMemory => ({
  ...NO_MEMORY,
  last: version(text),
  sequence: 10,
  identity: IDENTITY,
  repeatedAt: NOW,
  ...over,
});
