import type { Archive, Change, Report, Version } from '@sentinel-node/contracts';
import type { ArchiveMemory, FileMemory } from './memory.ts';
import type { Observation } from './observation.ts';
import { nextSequence } from './sequence.ts';

/** UNCHANGED and ERROR are sent at the start and then this often. */
export const REPEAT_MS = 3_600_000;

export interface StepContext {
  readonly nowMs: number;
  readonly frequency: 'PROBE' | 'FOLLOW';
  /** Path and frequency, to notice that the configuration names another file now. */
  readonly identity: string;
  readonly serverSequence: number;
  /** undefined: the configuration came from a file and the server has not told its version yet. */
  readonly configVersion: number | undefined;
  readonly instanceId: string;
  /** True at the first look after the start: an unchanged file is reported too. */
  readonly first: boolean;
}

interface Finding {
  readonly change: Change;
  readonly versions: readonly Version[];
  readonly archives?: readonly Archive[];
  readonly error?: { readonly code: string; readonly message: string };
  readonly reread?: boolean;
}

export interface Step {
  readonly report: Report;
  readonly memory: FileMemory;
}

/** Turns a look at a file into the report that it is worth and what to remember; undefined: nothing to say. */
export function step(memory: FileMemory, seen: Observation, context: StepContext): Step | undefined {
  const known = memory.identity === null || memory.identity === context.identity ? memory : forget(memory);
  const finding = find(known, seen, context);
  if (finding === undefined) return undefined;
  const sequence = nextSequence(known.sequence, context.nowMs, context.serverSequence);
  return {
    report: reportOf(finding, sequence, context),
    memory: remember(known, seen, finding, sequence, context),
  };
}

/** Another path or frequency is another content: it begins with FIRST; its sequence goes on. */
const forget = (memory: FileMemory): FileMemory => ({ ...memory, last: null, missing: false, archive: null });

function find(memory: FileMemory, seen: Observation, context: StepContext): Finding | undefined {
  const due = context.first || context.nowMs - memory.repeatedAt >= REPEAT_MS;
  switch (seen.kind) {
    case 'error': {
      if (memory.error === seen.code && !due) return undefined;
      return { change: 'ERROR', versions: [], error: { code: seen.code, message: seen.message } };
    }
    case 'missing':
      return memory.missing && !due ? undefined : { change: 'MISSING', versions: [] };
    case 'archive-changed':
      return {
        change: 'ARCHIVE_CHANGED',
        versions: present(memory.last),
        archives: [archiveOf(seen.newest)],
      };
    case 'rolled':
      return {
        change: 'ROLLED',
        versions: [...present(seen.prefix ?? memory.last), ...present(seen.now)],
        archives: seen.archives,
      };
    case 'file':
      return findFile(memory, seen, context, due);
  }
}

function findFile(
  memory: FileMemory,
  seen: Extract<Observation, { kind: 'file' }>,
  context: StepContext,
  due: boolean,
): Finding | undefined {
  const { last } = memory;
  if (last === null) return { change: 'FIRST', versions: [seen.now], reread: true };
  const before = context.frequency === 'FOLLOW' ? (seen.prefix ?? seen.now) : last;
  const reread = context.frequency === 'FOLLOW' ? { reread: seen.reread } : {};
  const recovered = memory.missing || memory.error !== null;
  if (same(seen.now, last) && same(before, last)) {
    return due || recovered ? { change: 'UNCHANGED', versions: [last], ...reread } : undefined;
  }
  const versions = same(before, seen.now) ? [seen.now] : [before, seen.now];
  return { change: changeOf(last, before, seen.now, context.frequency), versions, ...reread };
}

function changeOf(last: Version, before: Version, now: Version, frequency: 'PROBE' | 'FOLLOW'): Change {
  if (now.length < last.length) return 'TRUNCATED';
  return frequency === 'FOLLOW' && same(before, last) ? 'APPENDED' : 'REPLACED';
}

function reportOf(finding: Finding, sequence: number, context: StepContext): Report {
  return {
    sequence,
    timestamp: new Date(context.nowMs).toISOString(),
    change: finding.change,
    versions: [...finding.versions],
    ...(finding.archives === undefined ? {} : { archives: [...finding.archives] }),
    ...(finding.error === undefined ? {} : { error: finding.error }),
    ...(finding.reread === undefined ? {} : { reread: finding.reread }),
    ...(context.configVersion === undefined ? {} : { configVersion: context.configVersion }),
    instanceId: context.instanceId,
  };
}

function remember(
  memory: FileMemory,
  seen: Observation,
  finding: Finding,
  sequence: number,
  context: StepContext,
): FileMemory {
  const next = { ...memory, sequence, identity: context.identity, repeatedAt: context.nowMs };
  switch (seen.kind) {
    case 'error':
      return { ...next, error: seen.code };
    case 'missing':
      return { ...next, error: null, missing: true };
    case 'archive-changed':
      return { ...next, error: null, archive: seen.newest };
    case 'rolled':
      return {
        ...next,
        error: null,
        missing: false,
        last: finding.versions.at(-1) ?? memory.last,
        archive: seen.newest ?? memory.archive,
      };
    case 'file':
      return { ...next, error: null, missing: false, last: seen.now, archive: seen.newest ?? memory.archive };
  }
}

const archiveOf = ({ name, length, hash }: ArchiveMemory): Archive => ({ name, length, hash });
const present = (version: Version | null): Version[] => (version === null ? [] : [version]);
const same = (a: Version, b: Version): boolean => a.length === b.length && a.hash === b.hash;
