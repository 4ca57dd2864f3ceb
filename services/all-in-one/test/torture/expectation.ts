/**
 * What the server has to show of a file: which alerts, how often, and which versions. The agent may miss a state unless
 * it said that it looked while the state was there; so every sequence of looks that fits its words is gone through. Pure.
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
  /** When no agent could look at the file. */
  readonly blind: readonly Span[];
}

export interface Expectation {
  readonly alerts: Readonly<Record<AlertType, Count>>;
  /** Contents that the chain has to hold: what stood there when the agent said that it looked. */
  readonly versions: readonly Buffer[];
  /** When (ms) the agent said that it looked although nobody could. */
  readonly lies: readonly number[];
}

/** What the agent saw last, by the number of the state. */
interface Node {
  readonly seen: number | undefined;
  readonly isMissing: boolean;
  readonly counts: Readonly<Record<AlertType, Count>>;
}

/** Nothing has to stand at the path for this long before the agent tells it (docs/protocol.md), less the grain of clocks. */
const MISSING_MS = 1_900;

/** What is there for longer is looked at, in ms: the longest interval, and what a busy machine adds. */
const LOOK_MS = 9_000;

const NONE: Readonly<Record<AlertType, Count>> = {
  EMPTY: [0, 0],
  UNEXPECTED_CHANGE: [0, 0],
  HASH_BREACH: [0, 0],
  ROLLED_FILE_CHANGED: [0, 0],
  HASH_BREACH_IN_REQ: [0, 0],
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
  return { alerts: added(counts, { ROLLED_FILE_CHANGED: archivesChanged(all) }), versions, lies };
}

/** A state without a file counts as seen by its absence alone, which lasts; one with a file by what is in it. */
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
  const last = { disk: before.disk, content: before.disk.content!, known };
  const wasRestarted = starts.some((start) => start >= before.from && start <= to);
  const areArchivesSeen = areArchivesClaimed(states[at]!, all.claims, starts);
  const now = { disk, content, areArchivesSeen };
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

/** Two looks that find nothing can lie in two absences that follow closely: between them there need not have been a look. */
function isLongGone(states: readonly State[], at: number): boolean {
  const { to } = states[at]!;
  let from = Infinity;
  for (const state of states.slice(0, at + 1).toReversed()) {
    if (state.disk.content === null) from = state.from;
    else if (state.to - state.from > LOOK_MS) break;
  }
  return to - from >= MISSING_MS;
}

/** A rolled file that got shorter is told after 2 s without an archive; what passes is over by then. */
function waitsForArchive(states: readonly State[], at: number): boolean {
  const [before, state] = [states[at - 1], states[at]!];
  return (
    before?.disk.content?.length !== undefined &&
    state.by?.kind === 'rewrite' &&
    state.to - state.from < MISSING_MS
  );
}

/** Archives that were known, and that somebody edited or took away while older ones stayed. */
function archivesChanged({ states, claims, starts }: Witnessed): Count {
  let least = 0;
  let most = 0;
  for (const [at, { by, disk, from, to }] of states.entries()) {
    if (by?.kind !== 'edit-archive' && by?.kind !== 'lose-archive') continue;
    const before = states[at - 1]!;
    const lost = before.disk.archives[0]!.id;
    const lacking = states
      .slice(0, at)
      .findLastIndex(({ disk }) => !disk.archives.some(({ id }) => id === lost));
    const came = states[lacking + 1]!;
    const wasKnown =
      before.disk.content !== null && areArchivesClaimed({ from: came.from, to: before.to }, claims, starts);
    const isKnown = disk.content !== null && areArchivesClaimed({ from, to }, claims, starts);
    if (wasKnown && isKnown && isToldApart(states, at, claims)) least += 1;
    most += 1;
  }
  return [least, most];
}

/**
 * When one look finds both the file changed and no archive left that was known, it takes all of that for one rotation, which
 * its one report tells. @param at of the state after the archive was changed
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

/** Of those that saw the same last, the fewest and the most. */
function merged(nodes: readonly Node[]): Node[] {
  const byKey = new Map<string, Node>();
  for (const node of nodes) {
    const key = `${node.seen} ${node.isMissing}`;
    const other = byKey.get(key);
    byKey.set(key, other === undefined ? node : { ...node, counts: between(node.counts, other.counts) });
  }
  return [...byKey.values()];
}

const each = (count: (type: AlertType) => Count): Readonly<Record<AlertType, Count>> => ({
  ...NONE,
  ...Object.fromEntries(ALERT_TYPES.map((type) => [type, count(type)])),
});

const between = (a: Node['counts'], b: Node['counts']): Node['counts'] =>
  each((type) => [Math.min(a[type][0], b[type][0]), Math.max(a[type][1], b[type][1])]);

const added = (counts: Node['counts'], more: Counts): Node['counts'] =>
  each((type) => {
    const [least, most] = more[type] ?? [0, 0];
    return [counts[type][0] + least, counts[type][1] + most];
  });

export interface ShownContact {
  /** The call for it began and ended. */
  readonly asked: Span;
  readonly contact: string;
  /** Why it is not looked at. */
  readonly problem: string | undefined;
  readonly attributesTold: boolean;
}

/** How late the server's clock and an answer may be, in ms. */
const LATE_MS = 3_000;

/** Whether the contact is shown as OK although no agent could look at the file in its time. */
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

/** Whether the server says of a file that the agent may not read it: others can be lost for other causes at the time. */
export const isLostBecauseShut = (shown: Pick<ShownContact, 'contact' | 'problem'> | undefined): boolean =>
  shown?.contact === 'LOST' && shown.problem === 'EACCES';
