/**
 * A patch day over the real protocol and in real time: more than a thousand planned changes, hundreds that a list expects, and three
 * that nobody announced.
 */
import t from 'tap';
import type { Alert, Event, Maintenance } from '@sentinel-node/contracts';
import { WebhookReceiver } from '@sentinel-node/test-kit/test-servers';
import { sendAll } from './support/bulk.ts';
import { founder } from './support/client.ts';
import { addFiles, deviceOf, version, type Reporter, type Version } from './support/reporter.ts';
import { startedSystem } from './support/system.ts';
import { alertsTold, mailsTo, tellWebhooks, webhookTo } from './support/told.ts';
import { FAULTS_MS, until } from './support/until.ts';

const PLANNED = 1_100;
const PATCHED_DEVICES = 4;
const EXPECTED = 300;
const UNPLANNED = 3;
/** Alerts of one call, as the console asks for them. */
const PAGE = 500;
const HOUR_MS = 3_600_000;
const NOTE = 'All of it was the release.';
const ENV = { SENTINEL_LIMIT_USER_CALLS: '100000', SENTINEL_WEBHOOK_PRIVATE_TARGETS: 'yes' };

/** A device of unmodifiable files; `change` sends one change of each. */
interface Patched {
  readonly agent: Reporter;
  readonly fileIds: readonly string[];
  change(before: Version, now: Version): Promise<void>;
}

t.setTimeout(FAULTS_MS);
t.test('only what nobody announced is told, and the rest is reviewed at once', async (t) => {
  const system = await startedSystem(t, ENV);
  const ada = await founder(system);
  const { orgId } = ada;
  const receiver = await WebhookReceiver.start();
  t.teardown(() => receiver.goOffline());
  await tellWebhooks(ada, [await webhookTo(ada, receiver.url)]);
  const deviceWith = async (name: string, count: number): Promise<Patched> => {
    const agent = await deviceOf(ada, { name });
    const names = Array.from({ length: count }, (_, n) => `${name}-${n}.bin`);
    const ids = await addFiles(agent, Object.fromEntries(names.map((file) => [file, { modifiable: false }])));
    const fileIds = names.map((file) => ids[file]!);
    const send = (change: string, ...versions: Version[]): Promise<unknown> =>
      sendAll(
        agent,
        fileIds.map((fileId) => {
          const [sequence, timestamp] = [agent.nextSequence(), new Date().toISOString()];
          return JSON.stringify({ fileId, sequence, timestamp, change, versions });
        }),
      );
    await send('FIRST', version('old'));
    return { agent, fileIds, change: async (before, now) => void (await send('REPLACED', before, now)) };
  };
  const patched: Patched[] = [];
  for (let n = 0; n < PATCHED_DEVICES; n += 1)
    patched.push(await deviceWith(`patched${n}`, PLANNED / PATCHED_DEVICES));
  const released = await deviceWith('released', EXPECTED);
  const other = await deviceWith('other', UNPLANNED);

  const end = new Date(Date.now() + HOUR_MS).toISOString();
  const scope = { deviceIds: patched.map(({ agent }) => agent.deviceId) };
  const { id: windowId } = await ada.done('POST', `/maintenance/${orgId}`, {
    reason: 'Patch day',
    scope,
    end,
  });
  await ada.done('POST', `/expected/${orgId}`, {
    ...{ reason: 'Release 4.2', end, scope: { deviceIds: [released.agent.deviceId] } },
    entries: released.fileIds.map((_, n) => ({
      path: `/srv/app/files/released-${n}.bin`,
      sha256: version('release').hash,
    })),
  });
  for (const device of patched) await device.change(version('old'), version('patch'));
  await released.change(version('old'), version('release'));
  await other.change(version('old'), version('unplanned'));

  /** A delivery that is answered late comes again, with the same id. */
  const toldOnce = () => [...new Map(alertsTold(receiver).map((one) => [one.id, one])).values()];
  // The deadline of `until` is a minute: within it the three are told, by webhook and by mail.
  const told = await until('the webhook tells of the three', () => {
    const found = toldOnce();
    return found.length >= UNPLANNED ? found : undefined;
  });
  await until('mails tell of the three', async () => {
    const mails = (await mailsTo(system, ada.email))
      .map(({ subject, text }) => `${subject} ${text}`)
      .join('\n');
    return other.fileIds.every((_, n) => mails.includes(`other-${n}.bin`)) || undefined;
  });
  t.strictSame(told.map(({ fileId }) => fileId).sort(), [...other.fileIds].sort());

  const count = async (query: string): Promise<number> =>
    (await ada.done('GET', `/alerts/counts/${orgId}?${query}`)).alerts as number;
  await until(
    'every change is an alert',
    async () => (await count('')) === PLANNED + EXPECTED + UNPLANNED || undefined,
  );
  t.equal(await count('planned=yes'), PLANNED);
  t.equal(await count('expected=yes'), EXPECTED);
  t.equal(await count('planned=no&expected=no'), UNPLANNED);

  const window = (await ada.done('DELETE', `/maintenance/${orgId}/${windowId}`)) as Maintenance;
  t.equal(window.state, 'ENDED');
  t.match(await ada.done('GET', `/dashboard/${orgId}`), { activeAlerts: UNPLANNED, windowsToReview: 1 });
  let lastId: string | null = null;
  const planned: Alert[] = [];
  do {
    const query = `status=ACTIVE&window=${windowId}&limit=${PAGE}${lastId === null ? '' : `&lastId=${lastId}`}`;
    const page = await ada.done('GET', `/alerts/${orgId}?${query}`);
    planned.push(...(page.alerts as Alert[]));
    lastId = page.lastId as string | null;
  } while (lastId !== null);
  t.equal(planned.length, PLANNED);
  for (let at = 0; at < planned.length; at += PAGE) {
    const ids = planned.slice(at, at + PAGE).map(({ id }) => id);
    await ada.done('PUT', `/alerts/turnoff/${orgId}`, { ids, note: NOTE, status: 'RESOLVED' });
  }
  await until('all of them are dismissed', async () => {
    const left = await count(`status=ACTIVE&window=${windowId}`);
    return left === 0 || undefined;
  });

  const { body: review } = await ada.api('PUT', `/maintenance/review/${orgId}/${windowId}`, { note: NOTE });
  t.match(review, { state: 'REVIEWED' });

  for (const { agent } of patched) {
    const { events } = await ada.done('GET', `/events/${agent.path}?limit=${PAGE}&search=maintenance`);
    const own = (events as Event[]).filter(({ type }) => type.endsWith('_MAINTENANCE'));
    t.strictSame(
      own.map(({ type }) => type),
      ['REVIEW_MAINTENANCE', 'END_MAINTENANCE', 'OPEN_MAINTENANCE'],
      'the history of the device shows it all',
    );
    for (const { note } of own) t.match(note, ada.email, 'with who did it');
  }
  t.equal(toldOnce().filter(({ type }) => type.endsWith('alert.raised')).length, UNPLANNED);
});
