/** A patch day: thousands of planned changes, hundreds that a list expects, and three that nobody announced. */
import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { NOTIFICATION_LIMITS } from '../src/notifications/limits.ts';
import type { KeptMail } from '../src/mail/development-mailer.ts';
import { appendChain, FileHistory, hash } from './chain-records.ts';
import { createPlace } from './place.ts';
import { DEVICE, eventually, FILE, NO_LIMITS } from './world.ts';

const PLANNED = 5_000;
const EXPECTED = 300;
const UNPLANNED = 3;
const DEVICES = 10;
const HOUR_MS = 3_600_000;
/** Ends a wait for all of them; a busy machine takes long. */
const MANY_MS = 240_000;
t.setTimeout(900_000);

const pathOf = (n: number): string => `logs/app-${n}.log`;

t.test(
  'given a window and a list, then only what nobody announced is told and asks for attention',
  async (t) => {
    const { world, admin, orgId } = await createPlace(t, NO_LIMITS);
    /** A device with so many files, and a history of each. */
    const historiesOf = async (name: string, files: number): Promise<FileHistory[]> => {
      world.clock.advance(1);
      const device = await admin.call('POST', `/devices/${orgId}`, { ...DEVICE, name });
      const deviceId = device.body.id as string;
      const given = Array.from({ length: files }, (_, n) => ({ ...FILE, path: pathOf(n) }));
      const added = await admin.call('PUT', `/devices/files/${orgId}/${deviceId}`, { files: given });
      return (added.body.files as { id: string }[]).map(({ id }) => {
        const history = new FileHistory({ orgId, deviceId, fileId: id }, world.clock.now());
        history.baseline();
        return history;
      });
    };
    const patched: FileHistory[] = [];
    for (let n = 0; n < DEVICES; n++) patched.push(...(await historiesOf(`Patched ${n}`, 1)));
    const released = await historiesOf('Released', EXPECTED);
    const other = (await historiesOf('Other', 1))[0]!;
    const end = new Date(world.clock.now() + HOUR_MS).toISOString();
    const given = { reason: 'Patch day', end };
    const planned = { ...given, scope: { deviceIds: patched.map(({ key }) => key.deviceId) } };
    const window = await admin.call('POST', `/maintenance/${orgId}`, planned);
    t.equal(window.status, 201);
    const entries = released.map(({ number }, n) => ({
      path: `${DEVICE.path}/${pathOf(n)}`,
      sha256: hash(number),
    }));
    const listed = { ...given, scope: { deviceIds: [released[0]!.key.deviceId] }, entries };
    t.equal((await admin.call('POST', `/expected/${orgId}`, listed)).status, 201);

    world.clock.advance(1_000);
    const all = [...patched, ...released, other];
    for (const history of all) history.passTo(world.clock.now());
    for (let n = 0; n < PLANNED; n++) patched[n % DEVICES]!.breach();
    for (const history of released) history.breach('UNEXPECTED_CHANGE');
    const unplanned = Array.from({ length: UNPLANNED }, () => other.breach().alerts[0]!.id);
    for (const { records } of all) await appendChain(world.eventLog, records.splice(0));
    for (const { key, rev } of all)
      await eventually(
        async () => ((await world.store.get('file_states', key.fileId))?.rev === rev ? true : undefined),
        MANY_MS,
      );

    const mailsOf = async (): Promise<KeptMail[]> =>
      ((await world.call('GET', '/dev-mail/messages')).body as KeptMail[]).filter(({ thread }) =>
        thread?.startsWith('alert-'),
      );
    await eventually(async () => {
      const done = await world.eventLog.committed('sentinel.chain.v1', 'query-notifier');
      const bounds = await world.eventLog.bounds('sentinel.chain.v1');
      return bounds.every(({ partition, end }) => end === 0 || done.get(partition) === end) || undefined;
    }, MANY_MS);
    world.clock.advance(NOTIFICATION_LIMITS.settleMs);
    const mails = await eventually(async () => {
      const found = await mailsOf();
      return found.length >= UNPLANNED ? found : undefined;
    });
    t.strictSame(mails.map(({ thread }) => thread).sort(), unplanned.map((id) => `alert-${id}`).sort());

    const count = async (query: string): Promise<number> =>
      (await admin.call('GET', `/alerts/counts/${orgId}?${query}`)).body.alerts;
    t.equal(await count('planned=yes'), PLANNED);
    t.equal(await count('expected=yes'), EXPECTED);
    t.equal(await count('planned=no&expected=no'), UNPLANNED);
    const dashboard = (await admin.call('GET', `/dashboard/${orgId}`)).body;
    t.match(dashboard, { activeAlerts: UNPLANNED, setAside: { planned: PLANNED, expected: EXPECTED } });
    t.equal(dashboard.health.devicesWithActiveAlert, 1);
    const named = (dashboard.alerts as { id: string }[]).map(({ id }) => id);
    t.strictSame(named, [...unplanned].sort().reverse(), 'thousands of newer alerts are set aside');
    world.clock.advance(HOUR_MS);
    const { body } = await admin.call('GET', `/maintenance/${orgId}?toReview=true`);
    matchWhole(t, body, { toReview: 1, windows: [{ id: window.body.id, state: 'ENDED' }] });
  },
);
