import t from 'tap';
import { matchWhole } from '@sentinel-node/test-kit/matching';
import { ISO, members, refuses, sorted, start } from './entity-checks.ts';

t.test('alerts and the dashboard', async (t) => {
  const { scene } = await start(t);
  const { admin, orgId, deviceId, fileId, alertId } = scene;

  await t.test('[S3.10] an alert', async (t) => {
    const { body } = await admin.call('GET', `/alerts/${orgId}/${deviceId}/${alertId}`);
    const specified =
      'id timestamp status type deviceId deviceName fileId fileName overrideUser overrideUserEmail shared sharedData hashId eventRequest bsvTransactionID note';
    t.equal(members(body), sorted(`${specified} occurrences lastTimestamp contentHash`));
    matchWhole(t, body, {
      id: alertId,
      status: 'ACTIVE',
      type: 'HASH_BREACH',
      deviceId,
      deviceName: 'Server 1',
      fileId,
      fileName: 'Log',
      overrideUser: null,
      overrideUserEmail: null,
      shared: false,
      sharedData: [],
      hashId: scene.linkId,
      eventRequest: { sequence: 1 },
      bsvTransactionID: null,
      note: null,
      timestamp: ISO,
    });
    for (const status of ['ACTIVE', 'RESOLVED', 'DEACTIVATED'])
      t.equal((await admin.call('GET', `/alerts/${orgId}?status=${status}`)).status, 200, status);
    refuses(t, await admin.call('GET', `/alerts/${orgId}?status=DISMISSED`), '/status');
  });

  await t.test('[S3.13] an event', async (t) => {
    const { body } = await admin.call('GET', `/events/single/${orgId}/${deviceId}/${scene.eventId}`);
    t.equal(
      members(body),
      sorted('id timestamp type deviceId deviceName fileId fileName alertId hashId note alert'),
    );
    t.match(body, { timestamp: ISO });
    t.strictSame(body, {
      id: scene.eventId,
      timestamp: body.timestamp,
      type: 'ALERT',
      deviceId,
      deviceName: 'Server 1',
      fileId,
      fileName: 'Log',
      alertId,
      hashId: scene.linkId,
      note: JSON.stringify({ type: 'HASH_BREACH' }),
      // Added to the members of the specification: the alert's current state.
      alert: { type: 'HASH_BREACH', status: 'ACTIVE' },
    });
  });

  await t.test('[S3.16] a link of a chain', async (t) => {
    const { body } = await admin.call('PUT', `/files/chain/${orgId}/${deviceId}/${fileId}`, {});
    const [broken, first] = body.links;
    const names = 'id number hash firstHash type length timestamp linkHash bsvId anchor alerts';
    for (const link of body.links) t.equal(members(link), sorted(names));
    matchWhole(t, broken, {
      id: scene.linkId,
      type: 'BREAK',
      firstHash: false,
      hash: /^[0-9a-f]{64}$/,
      length: Number,
      timestamp: ISO,
      bsvId: null,
      alerts: [{ id: alertId, type: 'HASH_BREACH', status: 'ACTIVE' }],
    });
    matchWhole(t, first, { type: 'BASELINE', firstHash: true, alerts: [] });
  });

  await t.test('[S3.17] [S3.18] the summary and its performance', async (t) => {
    const { body } = await admin.call('GET', `/dashboard/${orgId}`);
    t.equal(
      members(body),
      sorted(
        'events stripeIdSet performance health devices alerts activeAlerts setAside notMonitored activity contact windowsToReview',
      ),
    );
    t.equal(
      members(body.performance),
      sorted(
        'numberOfDevicesDefined numberOfFilesDefined numberOfDevicesActive performance noContactFiles ' +
          'numberOfFilesMonitored numberOfFilesWaiting numberOfFilesWithoutContact noContactDevices',
      ),
    );
    matchWhole(t, body, {
      stripeIdSet: false,
      alerts: [{ id: alertId }],
      activeAlerts: 1,
      performance: { numberOfDevicesDefined: 1, numberOfFilesDefined: 1, numberOfDevicesActive: 1 },
    });
  });

  await t.test('the activity of days, and how long alerts wait', async (t) => {
    const path = `/dashboard/${orgId}/activity`;
    for (const [query, parts] of [
      ['period=7d', 28],
      ['period=30d&timeZone=Asia/Kathmandu', 30],
    ] as const) {
      const { status, body } = await admin.call('GET', `${path}?${query}`);
      t.equal(status, 200, JSON.stringify(body));
      const counted = (of: 'events' | 'alerts'): number =>
        body.parts.reduce((total: number, part: Record<string, number>) => total + part[of]!, 0);
      t.ok(body.parts.length <= parts && body.parts.length > parts - 4, `${body.parts.length} parts`);
      t.equal(counted('alerts'), 1);
      t.ok(counted('events') > 1);
      t.strictSame(body.contact, [], 'nobody looked');
      t.strictSame(body.handling, { alerts: 1, handled: 0, medianSeconds: null });
    }
    refuses(t, await admin.call('GET', path), '/period');
    refuses(t, await admin.call('GET', `${path}?period=8d`), '/period');
    refuses(t, await admin.call('GET', `${path}?period=7d&timeZone=Mars/Olympus`), '/timeZone');
  });

  await t.test('[S3.19] a range of time holds what lies in it, its ends included', async (t) => {
    const { alerts } = (await admin.call('GET', `/alerts/${orgId}`)).body;
    const at = alerts[0].timestamp as string;
    const shifted = (ms: number): string => new Date(Date.parse(at) + ms).toISOString();
    const count = async (from: string, to: string): Promise<number> => {
      const path = `/alerts/${orgId}?timestampFrom=${from}&timestampTo=${to}`;
      return (await admin.call('GET', path)).body.alerts.length;
    };
    t.equal(await count(at, at), 1);
    t.equal(await count(shifted(1), shifted(1_000)), 0);
    t.equal(await count(shifted(-1_000), shifted(-1)), 0);
  });
});
