import t from 'tap';
import type { Query } from '@sentinel-node/platform';
import { anchor, appendAnchor } from './chain-records.ts';
import { createPlace } from './place.ts';
import { eventually } from './world.ts';

t.test('no read looks at every document of a collection', async (t) => {
  const here = await createPlace(t);
  const { world, admin, orgId, deviceId, fileId, history } = here;
  history.baseline();
  const [alert] = history.breach().alerts;
  const last = await here.write();
  const partition = (await world.store.get('links', alert!.hashId))!.partition as number;
  await appendAnchor(world.eventLog, anchor(0, 1, [{ partition, from: last, to: last + 1 }], 'MINED'));
  await eventually(async () => await world.store.get('anchor_batches', '0'));

  const hook = { name: 'On-call', shape: 'cloudevents', url: 'https://receiver.invalid/' };
  const { body: webhook } = await admin.call('POST', `/webhooks/${orgId}`, hook);

  const asked: { readonly collection: string; readonly query: Query }[] = [];
  const find = world.store.find.bind(world.store);
  world.store.find = (collection, query) => {
    asked.push({ collection, query });
    return find(collection, query);
  };
  const link = alert!.hashId;
  const time = `timestampFrom=2026-01-01T00:00:00.000Z&timestampTo=2027-01-01T00:00:00.000Z`;
  const gets = [
    `/alerts/${orgId}`,
    `/alerts/${orgId}?status=ACTIVE&${time}`,
    `/alerts/${orgId}?deviceId=${deviceId}&lastId=${alert!.id}`,
    `/alerts/${orgId}?deviceId=${deviceId}&status=ACTIVE&search=log`,
    `/alerts/${orgId}/${deviceId}`,
    `/alerts/${orgId}?order=oldest&lastId=${alert!.id}`,
    `/alerts/${orgId}?order=oldest&status=ACTIVE&${time}`,
    `/alerts/${orgId}/${deviceId}?order=oldest&status=ACTIVE`,
    `/alerts/${orgId}?type=HASH_BREACH`,
    `/alerts/${orgId}?label=site:graz`,
    `/alerts/counts/${orgId}`,
    `/alerts/groups/${orgId}?by=DEVICE`,
    `/alerts/history/${orgId}/${deviceId}/${alert!.id}`,
    `/events/${orgId}?${time}`,
    `/events/${orgId}?deviceName=Server%201`,
    `/events/${orgId}?search=server&limit=1`,
    `/events/${orgId}/${deviceId}?lastId=${alert!.id}`,
    `/events/${orgId}/${deviceId}/${fileId}`,
    `/events/${orgId}?toExport=true`,
    `/dashboard/${orgId}`,
    `/dashboard/${orgId}/activity?period=7d`,
    `/devices/${orgId}`,
    `/devices/${orgId}?label=site:graz`,
    `/devices/${orgId}/${deviceId}`,
    `/files/${orgId}/${deviceId}/${fileId}`,
    `/files/history/${orgId}/${deviceId}/${fileId}`,
    `/enrolments/${orgId}`,
    `/service-tokens/${orgId}`,
    `/webhooks/${orgId}`,
    `/webhooks/deliveries/${orgId}/${webhook.id}`,
    `/webhooks/dead-letters/${orgId}/${webhook.id}`,
    `/notifications/rules/${orgId}`,
    `/notifications/own/${orgId}`,
    `/maintenance/${orgId}`,
    `/maintenance/${orgId}?toReview=true`,
    `/alerts/${orgId}?planned=no`,
    `/expected/${orgId}`,
    `/users/${orgId}`,
    `/users/${orgId}/device/${deviceId}`,
  ];
  for (const path of gets) t.equal((await admin.call('GET', path)).status, 200, path);
  for (const body of [{}, { after: 1 }, { hashId: link }, { idFrom: link }, { idTo: link }]) {
    const { status } = await admin.call('PUT', `/files/chain/${orgId}/${deviceId}/${fileId}`, body);
    t.equal(status, 200, JSON.stringify(body));
  }
  t.ok(asked.length > 30, 'the questions were seen');
  for (const { collection, query } of asked) {
    const plan = await world.store.explain(collection, query);
    t.notOk(plan.fullScan, `${collection} ${JSON.stringify(query.where ?? {})}: ${plan.detail}`);
    t.notMatch(plan.detail, /USE TEMP B-TREE FOR ORDER BY/, 'in the order of an index');
  }
});
