import {
  watchedDiffer,
  type Archive,
  type Attributes,
  type Change,
  type Report,
  type Version,
} from '@sentinel-node/contracts';
import type { FileMemory } from './memory.ts';
import type { Observation } from './observation.ts';
import { nextSequence } from './sequence.ts';

/** Interval of UNCHANGED and ERROR reports after the one at the start, in ms. */
export const REPEAT_MS = 3_600_000;

export interface StepContext {
  readonly nowMs: number;
  /** Time for new sequences, in ms: the server's time when known, else the machine's. */
  readonly sequenceMs: number;
  readonly frequency: 'PROBE' | 'FOLLOW';
  /** Path and frequency; a different value means that the configuration now names another file. */
  readonly identity: string;
  readonly serverSequence: number;
  /** undefined while the configuration comes from a file and the server has not sent its version. */
  readonly configVersion: number | undefined;
  readonly instanceId: string;
  /** True at the first look after the start, which reports an unchanged file too. */
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
  /** A sentence for the operator when the kind of the entry at the path changed. */
  readonly kindChanged?: string;
}

/** Turns a look at a file into a report and the next memory. @returns undefined when there is nothing to report */
export function step(memory: FileMemory, seen: Observation, context: StepContext): Step | undefined {
  const known = memory.identity === null || memory.identity === context.identity ? memory : forget(memory);
  const finding = find(known, seen, context);
  if (finding === undefined) return undefined;
  const sequence = nextSequence(known.sequence, context.sequenceMs, context.serverSequence);
  const next = remember(known, seen, finding, sequence, context);
  const kindChanged = kindChange(known.kind, next.kind);
  return {
    report: reportOf(finding, attributesIn(seen), sequence, context),
    memory: next,
    ...(kindChanged === undefined ? {} : { kindChanged }),
  };
}

/** Kind of a path without an entry. */
export const NOTHING = 'nothing';

function kindChange(before: string | null, now: string | null): string | undefined {
  if (now === null || now === before || now === NOTHING) return undefined;
  if (before === null && now.startsWith('link')) return undefined;
  if (before === null || before === NOTHING) return now === 'file' ? undefined : `there is a ${now} now`;
  return `there was a ${before}, there is a ${now} now`;
}

/** Returns the memory for another path or frequency: the next report is FIRST, the sequence continues. */
function forget({ attributes: _, ...memory }: FileMemory): FileMemory {
  return { ...memory, last: null, missing: false, kind: null };
}

const attributesIn = (seen: Observation): Attributes | undefined =>
  'attributes' in seen ? seen.attributes : undefined;

/** Returns whether UNCHANGED or ERROR is due again; a clock set back does not suppress them. */
export function isDue(memory: FileMemory, nowMs: number): boolean {
  return nowMs < memory.repeatedAt || nowMs - memory.repeatedAt >= REPEAT_MS;
}

function find(memory: FileMemory, seen: Observation, context: StepContext): Finding | undefined {
  const due = context.first || isDue(memory, context.nowMs);
  switch (seen.kind) {
    case 'error': {
      if (memory.error === seen.code && !due) return undefined;
      return { change: 'ERROR', versions: [], error: { code: seen.code, message: seen.message } };
    }
    case 'missing':
      return memory.missing && memory.kind === seen.what && !due
        ? undefined
        : { change: 'MISSING', versions: [] };
    case 'archive-changed':
      return {
        change: 'ARCHIVE_CHANGED',
        versions: present(memory.last),
        archives: seen.archives,
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
  const other = memory.kind !== null && memory.kind !== seen.what;
  const recovered = memory.missing || memory.error !== null || other;
  if (same(seen.now, last) && same(before, last)) {
    return due || recovered || hasOtherAttributes(memory, seen)
      ? { change: 'UNCHANGED', versions: [last], ...reread }
      : undefined;
  }
  const versions = same(before, seen.now) ? [seen.now] : [before, seen.now];
  return { change: changeOf(last, before, seen.now, context.frequency), versions, ...reread };
}

/** Returns whether watched attributes differ from the last reported ones. */
function hasOtherAttributes(
  { attributes: reported }: FileMemory,
  { attributes }: { readonly attributes?: Attributes },
): boolean {
  return attributes !== undefined && (reported === undefined || watchedDiffer(reported, attributes));
}

function changeOf(last: Version, before: Version, now: Version, frequency: 'PROBE' | 'FOLLOW'): Change {
  if (now.length < last.length) return 'TRUNCATED';
  return frequency === 'FOLLOW' && same(before, last) ? 'APPENDED' : 'REPLACED';
}

function reportOf(
  finding: Finding,
  attributes: Attributes | undefined,
  sequence: number,
  context: StepContext,
): Report {
  return {
    sequence,
    timestamp: new Date(context.nowMs).toISOString(),
    change: finding.change,
    versions: [...finding.versions],
    ...(finding.archives === undefined ? {} : { archives: [...finding.archives] }),
    ...(finding.error === undefined ? {} : { error: finding.error }),
    ...(attributes === undefined ? {} : { attributes }),
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
  const found = { ...next, error: null, missing: false };
  switch (seen.kind) {
    case 'error':
      return { ...next, error: seen.code };
    case 'missing':
      return { ...next, error: null, missing: true, kind: seen.what };
    case 'archive-changed':
      return { ...next, error: null };
    case 'rolled':
      return { ...found, ...reportedOf(seen), last: finding.versions.at(-1) ?? memory.last, kind: seen.what };
    case 'file':
      return { ...found, ...reportedOf(seen), last: seen.now, kind: seen.what };
  }
}

const reportedOf = ({ attributes }: { readonly attributes?: Attributes }): Pick<FileMemory, 'attributes'> =>
  attributes === undefined ? {} : { attributes };

const present = (version: Version | null): Version[] => (version === null ? [] : [version]);
const same = (a: Version, b: Version): boolean => a.length === b.length && a.hash === b.hash;
