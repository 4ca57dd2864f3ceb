/** Devices and files of an organisation that are lost, or that no agent looks at, by the views. */
import type { DocumentStore } from '@sentinel-node/platform';
import {
  deviceExpiresAt,
  knownDevicesOf,
  statusesOfOrganization,
  type FileStatus,
  type KnownDevices,
} from '../devices/index.ts';
import type { DeviceView } from '../views/index.ts';
import { stateId, type FoundState, type NoticeState, type StateKind } from './states.ts';

const SECOND_MS = 1_000;
const KINDS: readonly StateKind[] = ['LOST', 'BLIND'];

export interface Look {
  readonly store: DocumentStore;
  readonly orgId: string;
  /** Milliseconds since the Unix epoch. */
  readonly now: number;
  /** Whether a rule tells of files: they are many, so that nobody reads them in vain. */
  readonly withFiles: boolean;
  /** When this process began to listen; nothing could be heard before, and agents may need their time. */
  readonly listeningSince: number;
  readonly startGraceMs: number;
}

export interface Standings {
  /** By id. */
  readonly found: ReadonlyMap<string, FoundState>;
  /** Of the kept states: those whose device or file is monitored and well. */
  readonly over: ReadonlySet<string>;
  /** Of the kept states: those of which nothing new is known, such as files of a device that is lost. */
  readonly undecided: ReadonlySet<string>;
}

/** @param kept states that were found before, by id */
export async function findStates(look: Look, kept: ReadonlyMap<string, NoticeState>): Promise<Standings> {
  const { store, orgId, now, withFiles } = look;
  const known = await knownDevicesOf(store, orgId);
  const found = new Map<string, FoundState>();
  const over = new Set<string>();
  const silent = new Set<string>();
  for (const device of known.devices.values()) {
    if (!device.enabled) continue;
    const since = deviceExpiresAt(device, known.activity.get(device.id)?.rev ?? null);
    if (since === null || since > now) over.add(stateId('LOST', device.id));
    else {
      silent.add(device.id);
      if (mayHaveSpoken(look, device)) take(found, stateOf(device, 'LOST', since));
    }
  }
  if (withFiles) await findFiles(look, known, silent, { found, over });
  const isUndecided = ({ id, deviceId, fileId }: NoticeState): boolean =>
    !found.has(id) && (silent.has(deviceId) || (fileId !== null && !withFiles));
  const undecided = [...kept.values()].filter(isUndecided).map(({ id }) => id);
  return { found, over: new Set([...over].filter((id) => kept.has(id))), undecided: new Set(undecided) };
}

/** While a device is silent, nothing new is known of its files. */
async function findFiles(
  look: Look,
  known: KnownDevices,
  silent: ReadonlySet<string>,
  { found, over }: { found: Map<string, FoundState>; over: Set<string> },
): Promise<void> {
  for await (const files of statusesOfOrganization(look.store, look.orgId, known, look.now))
    for (const file of files) {
      const { view, device, contact } = file;
      if (!device.enabled || !view.enabled || silent.has(device.id)) continue;
      if (contact !== 'LOST') for (const kind of KINDS) over.add(stateId(kind, view.id));
      else if (mayHaveSpoken(look, device)) take(found, fileState(file, look.now));
    }
}

function fileState({ view, device, problem, expiresAt }: FileStatus, now: number): FoundState {
  const kind = problem === undefined ? 'LOST' : 'BLIND';
  const state = stateOf(device, kind, expiresAt ?? now);
  const { id, path } = view;
  return { ...state, id: stateId(kind, id), fileId: id, path, why: problem ?? null };
}

const take = (found: Map<string, FoundState>, state: FoundState): void => void found.set(state.id, state);

function stateOf({ id, orgId, name, category }: DeviceView, kind: StateKind, since: number): FoundState {
  const device = { deviceId: id, deviceName: name, category };
  return { id: stateId(kind, id), orgId, kind, ...device, fileId: null, path: null, why: null, since };
}

/** A silence in which this process did not listen says nothing of the agent. */
function mayHaveSpoken({ now, listeningSince, startGraceMs }: Look, { healthInterval }: DeviceView): boolean {
  return now >= listeningSince + Math.min(healthInterval * SECOND_MS, startGraceMs);
}
