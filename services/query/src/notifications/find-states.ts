/** Finds lost devices, and files that are lost or not watched, in the views of an organisation. */
import type { DocumentStore } from '@sentinel-node/platform';
import {
  deviceExpiresAt,
  devicesHeard,
  lastContactOf,
  statusesOfDevices,
  type DevicesHeard,
  type FileStatus,
} from '../devices/index.ts';
import type { DeviceView } from '../views/index.ts';
import { stateId, type FoundState, type NoticeState, type StateKind } from './states.ts';

const SECOND_MS = 1_000;
const KINDS: readonly StateKind[] = ['LOST', 'BLIND'];

export interface StateSearch {
  readonly store: DocumentStore;
  readonly orgId: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** When false, files are not read: no rule asks for them. */
  readonly withFiles: boolean;
  /**
   * When this process began to listen. It knows of no earlier contact, and agents may need time to report.
   */
  readonly listeningSince: number;
  readonly startGraceMs: number;
}

export interface FoundStates {
  /** By id of the state. */
  readonly found: ReadonlyMap<string, FoundState>;
  /** Kept states whose device or file is monitored and in contact again. */
  readonly over: ReadonlySet<string>;
  /** Kept states whose device or file was deleted, or its monitoring switched off. */
  readonly unmonitored: ReadonlySet<string>;
  /** Kept states that cannot be judged now: files of a lost device, or without time to report since the start. */
  readonly undecided: ReadonlySet<string>;
}

/**
 * Returns the states of an organisation now.
 * @param kept states that were found before, by id
 */
export async function findStates(
  look: StateSearch,
  kept: ReadonlyMap<string, NoticeState>,
): Promise<FoundStates> {
  const { store, orgId, now, withFiles } = look;
  const known = await devicesHeard(store, orgId);
  const found = new Map<string, FoundState>();
  const over = new Set<string>();
  const silent = new Set<string>();
  const monitored = new Set<string>();
  const awaited = new Set<string>();
  for (const device of known.devices) {
    if (!device.enabled) continue;
    const id = stateId('LOST', device.id);
    monitored.add(id);
    const since = deviceExpiresAt(device, lastContactOf(known.activity.get(device.id), known.ahead));
    if (since === null || since > now) over.add(id);
    else {
      silent.add(device.id);
      if (hadTimeToReport(look, device)) take(found, stateOf(device, 'LOST', since));
    }
  }
  if (withFiles) await findFiles(look, known, { kept, silent, found, over, monitored, awaited });
  const isUndecided = ({ id, deviceId, fileId }: NoticeState): boolean =>
    !found.has(id) && (silent.has(deviceId) || awaited.has(id) || (fileId !== null && !withFiles));
  const undecided = new Set([...kept.values()].filter(isUndecided).map(({ id }) => id));
  const unmonitored = [...kept.keys()].filter((id) => !monitored.has(id) && !undecided.has(id));
  return {
    found,
    over: new Set([...over].filter((id) => kept.has(id))),
    unmonitored: new Set(unmonitored),
    undecided,
  };
}

interface Sorted {
  readonly kept: ReadonlyMap<string, NoticeState>;
  readonly silent: ReadonlySet<string>;
  readonly found: Map<string, FoundState>;
  readonly over: Set<string>;
  readonly monitored: Set<string>;
  readonly awaited: Set<string>;
}

/** Sorts the kept states of files, and finds new ones. Nothing new is known about files of silent devices. */
async function findFiles(
  look: StateSearch,
  known: DevicesHeard,
  { kept, silent, found, over, monitored, awaited }: Sorted,
): Promise<void> {
  for await (const files of statusesOfDevices(look.store, known, look.now))
    for (const file of files) {
      const { view, device, contact } = file;
      if (!device.enabled || !view.enabled) continue;
      // There are many files, and few of them are kept.
      const ids = KINDS.map((kind) => stateId(kind, view.id)).filter((id) => kept.has(id));
      for (const id of ids) monitored.add(id);
      if (silent.has(device.id)) continue;
      if (contact !== 'LOST') for (const id of ids) over.add(id);
      else if (hadTimeToReport(look, device)) take(found, fileState(file, look.now));
      else for (const id of ids) awaited.add(id);
    }
}

function fileState({ view, device, problem, expiresAt }: FileStatus, now: number): FoundState {
  const kind = problem === undefined ? 'LOST' : 'BLIND';
  const state = stateOf(device, kind, expiresAt ?? now);
  const { id, path } = view;
  return { ...state, id: stateId(kind, id), fileId: id, path, why: problem ?? null };
}

const take = (found: Map<string, FoundState>, state: FoundState): void => void found.set(state.id, state);

function stateOf({ id, rev, orgId, name, category }: DeviceView, kind: StateKind, since: number): FoundState {
  const device = { deviceId: id, deviceName: name, deviceRev: rev, category };
  return { id: stateId(kind, id), orgId, kind, ...device, fileId: null, path: null, why: null, since };
}

/** Returns false while the process has not listened long enough for the agent to report. */
function hadTimeToReport(
  { now, listeningSince, startGraceMs }: StateSearch,
  { healthInterval }: DeviceView,
): boolean {
  return now >= listeningSince + Math.min(healthInterval * SECOND_MS, startGraceMs);
}
