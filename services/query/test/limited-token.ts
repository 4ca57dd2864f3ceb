/** A service token that is limited to devices, and in the same organisation a device that it must not see. */
import { appendChain, FileHistory } from './chain-records.ts';
import { createScene, type Scene } from './scene.ts';
import { DEVICE, eventually, FILE, type Answer, type World } from './world.ts';

export const LABEL = 'site:graz';
/** In each text that people gave to the hidden device. */
export const HIDDEN = 'hidden-box';

export interface LimitedScene extends Scene {
  /** The same organisation with the things of the hidden device. */
  readonly hidden: Scene;
  /** What no answer to the token may hold: ids and texts of the hidden device. */
  readonly markers: readonly string[];
  /** Something happens on the hidden device. */
  disturb(): Promise<void>;
  label(deviceId: string, labels: readonly string[]): Promise<Answer>;
  /** A token of the role ADMIN that may write. */
  tokenFor(limits: object, more?: object): Promise<string>;
}

export async function createLimitedScene(
  world: World,
  histories: Map<string, FileHistory>,
): Promise<LimitedScene> {
  const scene = await createScene(world, histories);
  const { admin, orgId } = scene;
  world.clock.advance(1);
  const device = { ...DEVICE, name: HIDDEN, description: HIDDEN, path: `/srv/${HIDDEN}` };
  const deviceId = (await admin.call('POST', `/devices/${orgId}`, { ...device, labels: ['site:wien'] })).body
    .id as string;
  world.clock.advance(1);
  const file = { ...FILE, name: HIDDEN, path: `logs/${HIDDEN}.log` };
  const added = await admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, { files: [file] });
  const fileId = added.body.files[0].id as string;
  const history = new FileHistory({ orgId, deviceId, fileId }, world.clock.now());
  histories.set(fileId, history);
  const write = async (): Promise<void> => {
    await appendChain(world.eventLog, history.records.splice(0));
    await eventually(async () => {
      const state = await world.store.get('file_states', fileId);
      return state?.rev === history.rev ? true : undefined;
    });
  };
  history.baseline();
  const [alert] = history.breach().alerts;
  await write();
  const events = await eventually(async () => {
    const { body } = await admin.call('GET', `/events/${orgId}/${deviceId}`);
    return body.events.length >= 3 ? (body.events as { id: string }[]) : undefined;
  });
  const label: LimitedScene['label'] = (of, labels) => {
    world.clock.advance(1);
    const { name, path, healthInterval, category } = of === deviceId ? device : DEVICE;
    const fields = { name, path, healthInterval, category, enabled: true, labels };
    return admin.call('PUT', `/devices/${orgId}/${of}`, fields);
  };
  await label(scene.deviceId, [LABEL]);
  const hidden: Scene = {
    ...scene,
    deviceId,
    fileId,
    apiKey: added.body.apiKey,
    alertId: alert!.id,
    eventId: events[0]!.id,
    linkId: alert!.hashId,
    history,
  };
  return {
    ...scene,
    hidden,
    markers: [HIDDEN, deviceId, fileId, alert!.id, alert!.hashId, ...events.map(({ id }) => id)],
    disturb: async () => {
      history.breach();
      await write();
    },
    label,
    tokenFor: async (limits, more = {}) => {
      const fields = { name: 'Limited', role: 'ADMIN', readOnly: false, limits, ...more };
      return (await admin.call('POST', `/service-tokens/${orgId}`, fields)).body.token as string;
    },
  };
}
