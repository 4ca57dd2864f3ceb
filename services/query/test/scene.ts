/** Several organisations in one world, each with people, a device, a file and an alert. */
import type { KeptReceipt } from '@sentinel-node/contracts';
import { appendChain, FileHistory } from './chain-records.ts';
import { receiptOf } from './receipts.ts';
import { DEVICE, eventually, FILE, type Member, type Person, type World } from './world.ts';

export interface Scene {
  readonly orgId: string;
  readonly admin: Person & { readonly orgId: string };
  readonly regular: Member;
  readonly deviceId: string;
  readonly fileId: string;
  readonly apiKey: string;
  readonly alertId: string;
  readonly eventId: string;
  readonly linkId: string;
  /** Receipt of the link's report. */
  readonly receipt: KeptReceipt;
  readonly history: FileHistory;
  /** Returns the address of a person of this scene. */
  email(name: string): string;
}

const PROBED = {
  ...FILE,
  monitoringFrequency: 'PROBE',
  interval: 5,
  rolled: true,
  rolledFilenameRegexp: 'app\\.log\\.\\d+',
} as const;

let scenes = 0;

export async function createScene(world: World, histories: Map<string, FileHistory>): Promise<Scene> {
  const n = ++scenes;
  const email = (name: string): string => `${name}.${n}@example.org`;
  const admin = await world.organization(`Acme ${n}`, email('ada'));
  const regular = await world.member(admin, email('bob'), 'REGULAR');
  const { orgId } = admin;
  const deviceId = (await admin.call('POST', `/devices/${orgId}`, DEVICE)).body.id as string;
  world.clock.advance(1);
  const added = await admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, { files: [PROBED] });
  const fileId = added.body.files[0].id as string;
  const history = new FileHistory({ orgId, deviceId, fileId }, world.clock.now());
  histories.set(fileId, history);
  history.baseline();
  const breach = history.breach();
  const [alert] = breach.alerts;
  const [link] = breach.entries;
  await appendChain(world.eventLog, history.records.splice(0));
  await eventually(async () => {
    const state = await world.store.get('file_states', fileId);
    return state?.rev === history.rev ? true : undefined;
  });
  const isAlert = ({ type }: { type: string }): boolean => type === 'ALERT';
  const event = await eventually(async () =>
    (await admin.call('GET', `/events/${orgId}`)).body.events.find(isAlert),
  );
  return {
    orgId,
    admin,
    regular,
    deviceId,
    fileId,
    apiKey: added.body.apiKey,
    alertId: alert!.id,
    eventId: event.id,
    linkId: alert!.hashId,
    receipt: receiptOf(fileId, link!.acceptedAt, link!.reportHash!),
    history,
    email,
  };
}
