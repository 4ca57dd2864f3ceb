/**
 * Computes what the server must show of a file: alerts, their numbers, and versions. The agent may miss a
 * state unless it claims a look during the state, so every sequence of looks that fits its claims counts.
 * Pure.
 */
import { ALERT_TYPES, type AlertType } from '@sentinel-node/contracts';
import { alertsOfStep, type Count, type Counts } from './alerts.ts';
import {
  areArchivesClaimed,
  isClaimed,
  overlaps,
  without,
  type Claim,
  type Span,
  type State,
} from './history.ts';
import { archivesKnown, type Claimed } from './known.ts';
import type { WatchedFile } from './policies.ts';

export interface Witnessed extends Claimed {
  readonly file: WatchedFile;
  /** Times at which no agent could look at the file. */
  readonly blind: readonly Span[];
}

export interface Expectation {
  readonly alerts: Readonly<Record<AlertType, Count>>;
  /** Occurrences of all types together. */
  readonly total: Count;
  /** Contents that the chain must have, because the agent claimed a look at them. */
  readonly versions: readonly Buffer[];
  /** Times (ms) of states that the agent claimed to have seen although no agent could look. */
  readonly lies: readonly number[];
}

/** Possible knowledge of the agent: index of the last seen state, and the alerts so far. */
interface Node {
  readonly seen: number | undefined;
  readonly isMissing: boolean;
  readonly counts: Readonly<Record<AlertType | 'total', Count>>;
}

/**
 * Time that a file is missing before the agent reports it, in ms (docs/protocol.md), less the grain of
 * clocks.
 */
const MISSING_MS = 1_900;

/**
 * Duration above which the agent surely looks at a state, in ms: the longest interval, and a busy machine's
 * delay.
 */
const LOOK_MS = 9_000;

const NONE: Node['counts'] = {
  EMPTY: [0, 0],
  UNEXPECTED_CHANGE: [0, 0],
  HASH_BREACH: [0, 0],
  ROLLED_FILE_CHANGED: [0, 0],
  HASH_BREACH_IN_REQ: [0, 0],
  total: [0, 0],
};

export function expectationOf(all: Witnessed): Expectation {
  const { states, claims } = all;
  const lastOne = states.length - 1;
  let nodes: readonly Node[] = [{ seen: undefined, isMissing: false, counts: NONE }];
  const versions: Buffer[] = [];
  const lies: number[] = [];
  for (const [at, state] of states.entries()) {
    const isSaid = isClaimed(state, claims) && isThere(state);
    const isAble = canBeSeen(all, at);
    if (isSaid && !isAble) lies.push(state.from);
    const must = at === 0 || at === lastOne || (isSaid && isAble);
    if (must && state.disk.content !== null) versions.push(state.disk.content);
    const seen = isAble ? nodes.map((node) => look(all, node, at)) : [];
    nodes = merged(must ? seen : [...nodes, ...seen]);
  }
  const ends = merged(nodes.map((node) => ({ ...node, seen: undefined, isMissing: false })));
  const { counts } = ends[0]!;
  const { total, ...alerts } = added(counts, { ROLLED_FILE_CHANGED: archivesChanged(all) });
  return { alerts, total, versions, lies };
}

/**
 * Returns whether a claimed look shows the state: a file by its content, a missing file only by a long
 * absence.
 */
const isThere = ({ disk, from, to }: State): boolean => disk.content !== null || to - from >= MISSING_MS;

function look(all: Witnessed, node: Node, at: number): Node {
  const { file, states, starts } = all;
  const { disk, to } = states[at]!;
  const { content } = disk;
  if (content === null) {
    const counts: Counts = node.isMissing ? {} : { EMPTY: [1, 1] };
    return { seen: node.seen, isMissing: true, counts: added(node.counts, counts) };
  }
  const before = node.seen === undefined ? undefined : states[node.seen]!;
  const seen = { seen: at, isMissing: false };
  if (before === undefined) return { ...seen, counts: node.counts };
  const known = archivesKnown(all, node.seen!);
  const last = {
    disk: before.disk,
    content: before.disk.content!,
    known,
    isArchiveNew: isEdit(before.by?.kind),
  };
  const wasRestarted = starts.some((start) => start >= before.from && start <= to);
  const areArchivesSeen = areArchivesClaimed(states[at]!, all.claims, starts);
  const edits = [...states.keys()].filter(
    (edit) => edit > node.seen! && edit <= at && isEdit(states[edit]!.by?.kind),
  );
  const areArchivesTold = edits.some((edit) => isEditTold(all, edit));
  const now = { disk, content, areArchivesSeen, areArchivesTold, areArchivesEdited: edits.length > 0 };
  return { ...seen, counts: added(node.counts, alertsOfStep(file, last, now, wasRestarted)) };
}

function canBeSeen({ file, states, blind }: Witnessed, at: number): boolean {
  const state = states[at]!;
  if (at === 0 || at === states.length - 1) return true;
  const { from, to } = state;
  if (without({ from: from - 1, to: to + 1 }, blind).length === 0) return false;
  if (state.disk.content === null) return isLongGone(states, at);
  return !(state.isPassing && file.rolled && waitsForArchive(states, at));
}

/**
 * Returns whether the file was missing long enough to be reported. Two close absences count as one, because
 * there may have been no look between them.
 */
function isLongGone(states: readonly State[], at: number): boolean {
  const { to } = states[at]!;
  let from = Infinity;
  for (const state of states.slice(0, at + 1).toReversed()) {
    if (state.disk.content === null) from = state.from;
    else if (state.to - state.from > LOOK_MS) break;
  }
  return to - from >= MISSING_MS;
}

/**
 * Returns whether the agent still waits for an archive: it reports a shorter rolled file only after 2 s
 * without an archive, and a passing state is over by then.
 */
function waitsForArchive(states: readonly State[], at: number): boolean {
  const [before, state] = [states[at - 1], states[at]!];
  return (
    before?.disk.content?.length !== undefined &&
    state.by?.kind === 'rewrite' &&
    state.to - state.from < MISSING_MS
  );
}

/** Counts the known archives that were edited or removed while older ones stayed. */
function archivesChanged(all: Witnessed): Count {
  let least = 0;
  let most = 0;
  for (const [at, { by }] of all.states.entries()) {
    if (!isEdit(by?.kind)) continue;
    if (isEditTold(all, at)) least += 1;
    most += 1;
  }
  return [least, most];
}

const isEdit = (kind: string | undefined): boolean => kind === 'edit-archive' || kind === 'lose-archive';

/** Returns whether the state `at` begins with an edited or removed archive that the agent surely reports by itself. */
function isEditTold({ states, claims, starts }: Witnessed, at: number): boolean {
  const { by, disk, from, to } = states[at]!;
  if (!isEdit(by?.kind)) return false;
  const before = states[at - 1]!;
  const lost = before.disk.archives[0]!.id;
  const lacking = states
    .slice(0, at)
    .findLastIndex(({ disk }) => !disk.archives.some(({ id }) => id === lost));
  const wasKnown =
    before.disk.content !== null &&
    spansOfPresence(states.slice(lacking + 1, at)).some((span) => areArchivesClaimed(span, claims, starts));
  const isKnown = disk.content !== null && areArchivesClaimed({ from, to }, claims, starts);
  return wasKnown && isKnown && isToldApart(states, at, claims);
}

/** Returns the spans in which the file was there: a look at a missing file does not see its archives. */
function spansOfPresence(states: readonly State[]): Span[] {
  const spans: Span[] = [];
  let open: Span | undefined;
  for (const { disk, from, to } of states) {
    if (disk.content === null) {
      open = undefined;
      continue;
    }
    if (open !== undefined) spans.pop();
    open = { from: open?.from ?? from, to };
    spans.push(open);
  }
  return spans;
}

/**
 * Returns whether the agent reports the archive's change by itself: a look that finds the file changed and no
 * known archive left reports one rotation instead. @param at index of the state after the archive's change
 */
function isToldApart(states: readonly State[], at: number, claims: readonly Claim[]): boolean {
  const { disk } = states[at]!;
  const seen = states.slice(0, at).findLast((state) => isClaimed(state, claims)) ?? states[0]!;
  const isAsSeen = seen.disk.inode === disk.inode && isSameContent(seen.disk.content, disk.content);
  const known = new Set(seen.disk.archives.map(({ id }) => id));
  return isAsSeen || disk.archives.some(({ id }) => known.has(id));
}

const isSameContent = (a: Buffer | null, b: Buffer | null): boolean =>
  a === null || b === null ? a === b : a.equals(b);

/** Merges nodes with the same last seen state; keeps the fewest and the most alerts. */
function merged(nodes: readonly Node[]): Node[] {
  const byKey = new Map<string, Node>();
  for (const node of nodes) {
    const key = `${node.seen} ${node.isMissing}`;
    const other = byKey.get(key);
    byKey.set(key, other === undefined ? node : { ...node, counts: between(node.counts, other.counts) });
  }
  return [...byKey.values()];
}

const each = (count: (type: AlertType | 'total') => Count): Node['counts'] => ({
  ...NONE,
  ...Object.fromEntries([...ALERT_TYPES, 'total' as const].map((type) => [type, count(type)])),
});

const between = (a: Node['counts'], b: Node['counts']): Node['counts'] =>
  each((type) => [Math.min(a[type][0], b[type][0]), Math.max(a[type][1], b[type][1])]);

function added(counts: Node['counts'], more: Counts): Node['counts'] {
  const sum = ([a, b]: Count, [least, most]: Count): Count => [a + least, b + most];
  const { total = Object.values(more).reduce(sum, [0, 0]) } = more;
  const all: Counts = { ...more, total };
  return each((type) => sum(counts[type], all[type] ?? [0, 0]));
}

export interface ShownContact {
  /** Begin and end of the call that read the contact. */
  readonly asked: Span;
  readonly contact: string;
  /** Why the agent does not look at the file. */
  readonly problem: string | undefined;
  readonly attributesTold: boolean;
}

/** Most delay of the server's clock and of an answer, in ms. */
const LATE_MS = 3_000;

/** Returns whether the contact is shown as OK although no agent could look at the file in time. */
export function isGreenWhileBlind(
  { asked, contact }: Pick<ShownContact, 'asked' | 'contact'>,
  contactMs: number,
  blind: readonly Span[],
): boolean {
  const inTime = { from: asked.from - contactMs - LATE_MS, to: asked.to };
  return (
    contact === 'OK' && blind.some((span) => overlaps(span, inTime)) && without(inTime, blind).length === 0
  );
}

/**
 * Returns whether the server says that the agent may not read the file; other files can be lost for other
 * causes.
 */
export const isLostBecauseShut = (shown: Pick<ShownContact, 'contact' | 'problem'> | undefined): boolean =>
  shown?.contact === 'LOST' && shown.problem === 'EACCES';
