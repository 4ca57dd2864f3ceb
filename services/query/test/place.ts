/** An organisation with a device and a file, and the verifier's records of the file. */
import type { Test } from 'tap';
import { appendChain, FileHistory } from './chain-records.ts';
import type { QueryDeps } from '../src/index.ts';
import { createWorld, DEVICE, eventually, FILE, foundOrganization } from './world.ts';
import type { Founder, Person, World } from './world.ts';

export interface Place {
  readonly world: World;
  readonly admin: Person & { readonly orgId: string };
  readonly orgId: string;
  readonly deviceId: string;
  readonly fileId: string;
  readonly history: FileHistory;
  /** Appends the history's records and waits until reads show them; returns the offset of the last. */
  write(): Promise<number>;
  /** Lets the file's first report come now, outside of `history`: heartbeats carry the contact from then on. */
  firstReport(): Promise<void>;
}

/** @param names of the organisation and the file */
export async function createPlace(
  t: Test,
  env: Readonly<Record<string, string>> = {},
  names = { organization: 'Acme', file: FILE.name as string },
  more: Partial<QueryDeps> = {},
): Promise<Place> {
  const world = await createWorld(t, env, more);
  return placeOf(world, await world.organization(names.organization, 'ada@example.org'), names.file);
}

/** Makes a place in a world that several tests share, in an organisation of its own: a world takes several times as long. */
export async function placeIn(world: World): Promise<Place & { readonly admin: Founder }> {
  const admin = await foundOrganization(world);
  return { ...(await placeOf(world, admin, FILE.name)), admin };
}

async function placeOf(world: World, admin: Place['admin'], fileName: string): Promise<Place> {
  const { orgId } = admin;
  const deviceId = (await admin.call('POST', `/devices/${orgId}`, DEVICE)).body.id as string;
  world.clock.advance(1);
  const added = await admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, {
    files: [{ ...FILE, name: fileName }],
  });
  const fileId = added.body.files[0].id as string;
  const history = new FileHistory({ orgId, deviceId, fileId }, world.clock.now());
  const write = async (): Promise<number> => {
    const positions = await appendChain(world.eventLog, history.records.splice(0));
    const last = history.rev;
    await eventually(async () => {
      const state = await world.store.get('file_states', fileId);
      return state?.rev === last ? true : undefined;
    });
    return positions.at(-1)!.offset;
  };
  const firstReport = async (): Promise<void> => {
    const first = new FileHistory(history.key, world.clock.now() - 1);
    await appendChain(world.eventLog, [first.baseline()]);
    await eventually(async () =>
      (await world.store.get('file_states', fileId)) !== undefined ? true : undefined,
    );
  };
  return { world, admin, orgId, deviceId, fileId, history, write, firstReport };
}
