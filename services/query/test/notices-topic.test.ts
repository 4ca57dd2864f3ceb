/** The topic of notices: from what happens to the operator's own programs, and to syslog. */
import { readFileSync } from 'node:fs';
import t from 'tap';
import { partitionOf, TOPICS, type NoticeEvent } from '@sentinel-node/contracts';
import { SyslogReceiver } from '@sentinel-node/test-kit/test-servers';
import { makeCertificate, skipWithoutOpenssl } from '@sentinel-node/test-kit/test-servers/certificate';
import { NOTIFICATION_LIMITS } from '../src/notifications/limits.ts';
import { readNoticeRecord } from '../src/views/index.ts';
import { appendHeartbeat, heartbeat } from './chain-records.ts';
import { createPlace, type Place } from './place.ts';
import { eventually, NO_LIMITS, passLooking } from './world.ts';

interface Kept {
  readonly key: string;
  readonly id: string;
  readonly partition: number;
  readonly event: NoticeEvent;
}

async function keptOn({ eventLog }: Place['world']): Promise<Kept[]> {
  const found: Kept[] = [];
  for (const { partition, start, end } of await eventLog.bounds(TOPICS.notices))
    for await (const { records } of eventLog.read(TOPICS.notices, partition, start, end))
      for (const record of records) {
        const { key, id } = record;
        found.push({ key, id, partition, event: readNoticeRecord(record) });
      }
  return found;
}

/** Resolves when the notifier has looked at every record of the chain topic. */
async function caughtUp({ eventLog }: Place['world']): Promise<void> {
  await eventually(async () => {
    const done = await eventLog.committed(TOPICS.chain, 'query-notifier');
    const bounds = await eventLog.bounds(TOPICS.chain);
    return bounds.every(({ partition, end }) => end === 0 || done.get(partition) === end) || undefined;
  });
}

/** Nobody is told of anything by the organisation's own rules. */
async function withoutRules({ admin, orgId }: Place): Promise<void> {
  const { status } = await admin.call('DELETE', `/notifications/rules/${orgId}/${orgId}`);
  if (status !== 200) throw new Error(String(status));
}

t.test('every notice is on the topic, whatever the rules say, under the key of its subject', async (t) => {
  const place = await createPlace(t, { ...NO_LIMITS, SENTINEL_NOTICES: 'on' });
  const { world, orgId, deviceId, fileId, history, write } = place;
  await withoutRules(place);
  history.baseline();
  const [alert] = history.breach().alerts;
  await write();
  const [raised, ...more] = await eventually(async () => {
    const found = (await keptOn(world)).filter(({ event }) => event.type.startsWith('sentinel-node.alert.'));
    return found.length > 0 ? found : undefined;
  });
  t.same(more, []);
  const { event } = raised!;
  t.match(event, {
    ...{ specversion: '1.0', type: 'sentinel-node.alert.raised', subject: alert!.id, orgid: orgId },
    source: `http://localhost:8443/api/v1/orgs/${orgId}`,
    data: { device: { id: deviceId }, file: { id: fileId }, alert: { id: alert!.id, type: 'HASH_BREACH' } },
  });
  t.match(raised, { key: alert!.id, id: event.id });
  const { length } = await world.eventLog.bounds(TOPICS.notices);
  t.equal(raised!.partition, partitionOf(alert!.id, length));

  const now = world.clock.now();
  await appendHeartbeat(world.eventLog, heartbeat({ orgId, deviceId }, now, []));
  await eventually(async () => {
    const contact = await world.store.get('device_contacts', deviceId);
    return contact?.rev === now || undefined;
  });
  await passLooking(world, 3 * 60_000 + NOTIFICATION_LIMITS.lookMs);
  const lost = await eventually(async () =>
    (await keptOn(world)).find(({ event: { type } }) => type === 'sentinel-node.device.lost'),
  );
  t.match(lost, { key: deviceId, event: { data: { text: 'Nothing is heard of Server 1.' } } });
});

t.test('without the setting the topic stays empty', async (t) => {
  const place = await createPlace(t, NO_LIMITS);
  place.history.baseline();
  place.history.breach();
  await place.write();
  await caughtUp(place.world);
  t.same(await keptOn(place.world), []);
});

t.test('an alert comes as a syslog message', { skip: skipWithoutOpenssl }, async (t) => {
  const files = makeCertificate(t, { addresses: ['127.0.0.1'] });
  const receiver = await SyslogReceiver.start({
    cert: readFileSync(files.cert),
    key: readFileSync(files.key),
  });
  t.teardown(() => receiver.goOffline());
  const place = await createPlace(t, {
    ...NO_LIMITS,
    SENTINEL_SYSLOG: `tls://127.0.0.1:${receiver.port}`,
    SENTINEL_SYSLOG_TLS_CA: files.cert,
    SENTINEL_SYSLOG_FACILITY: 'audit',
    SENTINEL_SYSLOG_SD_ID: 'sentinel@99999',
  });
  await withoutRules(place);
  place.history.baseline();
  const [alert] = place.history.breach().alerts;
  await place.write();
  const message = await eventually(() =>
    Promise.resolve(receiver.messages.find((one) => one.includes(' alert.raised '))),
  );
  t.match(
    message,
    new RegExp(
      `^<1(06|08)>1 \\S+ localhost sentinel-node - alert\\.raised \\[sentinel@99999 id="[^"]+" .* alert="${alert!.id}" alertType="HASH_BREACH"`,
    ),
  );
});
