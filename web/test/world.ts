import type { Device, Event } from '@sentinel-node/contracts';
import {
  alert,
  chain,
  device,
  enrolment,
  event,
  expectedList,
  file,
  hash,
  deadLetter,
  delivery,
  notificationRule,
  maintenanceWindow,
  serviceToken,
  webhook,
  uuid,
  type World,
} from './fixtures.ts';

const MINUTE = 60_000;

function devices(now: number): Device[] {
  return [
    device(1, 'This machine', now, {
      description: 'The machine that this server runs on',
      path: '/srv/demonstration',
      files: [
        file(1, 'application log', 'logs/application.log', now, { activeAlerts: 1 }),
        file(2, 'access log', 'logs/access.log', now, {
          rolled: true,
          rolledFilenameRegexp: 'access\\.log\\.\\d+(\\.gz)?',
        }),
        file(3, 'settings.json', 'settings.json', now, {
          monitoringFrequency: 'PROBE',
          interval: 5,
          modifiable: false,
          activeAlerts: 1,
        }),
        file(4, 'notes.txt', 'notes.txt', now, { monitoringFrequency: 'PROBE', interval: 30 }),
      ],
    }),
    device(2, 'ledger-db-01', now, {
      description: 'Primary database of the ledger team',
      files: [
        file(5, 'audit.log', '/var/log/postgresql/audit.log', now),
        file(6, 'pg_hba.conf', '/etc/postgresql/pg_hba.conf', now, { modifiable: false, contact: 'LOST' }),
      ],
    }),
    device(3, 'edge-gateway-fra', now, {
      status: 'NON_ACTIVE',
      lastContact: new Date(now - 47 * MINUTE).toISOString(),
      category: 'STANDARD',
      files: [file(7, 'firewall rules', '/etc/nftables.conf', now, { contact: 'LOST', modifiable: false })],
    }),
    device(4, 'build-runner-7', now, {
      enabled: false,
      category: 'ADVANCED',
      disabledNote: 'Replaced by build-runner-9 this week.',
      disabledDate: new Date(now - 3_000 * MINUTE).toISOString(),
      emailAddress: 'ada@example.org',
      files: [file(8, 'runner.toml', '/etc/runner.toml', now, { enabled: false, contact: 'WAITING' })],
    }),
    device(5, 'payment-terminal-gateway', now, { description: 'Card payments, building 3' }),
  ];
}

function alerts(list: Device[], now: number) {
  const [machine, ledger, edge] = list as [Device, Device, Device];
  const [log, access, settings] = machine.files as [
    Device['files'][0],
    Device['files'][0],
    Device['files'][0],
  ];
  const handled = (status: 'RESOLVED' | 'DEACTIVATED', note: string) => ({
    status,
    note,
    overrideUser: uuid(1),
    overrideUserEmail: 'ada@example.org',
    bsvTransactionID: hash('tx 12'),
  });
  const some = [
    alert(1, 'HASH_BREACH', machine, log, now - 4 * MINUTE, { bsvTransactionID: hash('tx 40') }),
    alert(2, 'UNEXPECTED_CHANGE', machine, settings, now - 52 * MINUTE, { occurrences: 3 }),
    alert(
      3,
      'ROLLED_FILE_CHANGED',
      machine,
      access,
      now - 2_000 * MINUTE,
      handled('RESOLVED', 'Log retention job'),
    ),
    alert(
      4,
      'EMPTY',
      ledger,
      ledger.files[0] as never,
      now - 3_100 * MINUTE,
      handled('DEACTIVATED', 'Moved on purpose'),
    ),
    alert(
      5,
      'HASH_BREACH_IN_REQ',
      edge,
      edge.files[0] as never,
      now - 5_000 * MINUTE,
      handled('RESOLVED', 'Agent upgraded'),
    ),
  ];
  for (let n = 6; n <= 24; n += 1) {
    const at = now - (5_000 + n * 700) * MINUTE;
    some.push(
      alert(
        n,
        n % 3 === 0 ? 'HASH_BREACH' : 'UNEXPECTED_CHANGE',
        ledger,
        ledger.files[1] as never,
        at,
        handled('RESOLVED', `Change ${1400 + n}`),
      ),
    );
  }
  return some;
}

function events(list: Device[], world: Pick<World, 'alerts'>, now: number): Event[] {
  const on = (of: Device, index: number) => ({
    deviceId: of.id,
    deviceName: of.name,
    fileId: of.files[index]?.id ?? null,
    fileName: of.files[index]?.name ?? null,
  });
  const [machine, ledger] = list as [Device, Device];
  const raised = world.alerts.slice(0, 5).map((one, n) => {
    const where = {
      deviceId: one.deviceId,
      deviceName: one.deviceName,
      fileId: one.fileId,
      fileName: one.fileName,
    };
    const note = JSON.stringify({ type: one.type });
    return event(n, 'ALERT', Date.parse(one.timestamp), {
      ...where,
      alertId: one.id,
      hashId: one.hashId,
      note,
    });
  });
  const types = [
    'ROLLING',
    'FILE_DECREASED',
    'AGENT_ERROR',
    'MODIFY_FILE',
    'CREATE_FILE',
    'MODIFY_DEVICE',
  ] as const;
  const others = Array.from({ length: 44 }, (_, n) => {
    const type = types[n % types.length] ?? 'ROLLING';
    const note =
      type === 'MODIFY_DEVICE'
        ? 'ada@example.org changed the name'
        : JSON.stringify({
            code: 'EACCES',
            message: `permission denied while opening the file for the ${n}. time, the agent tries again at its next interval and reports the error once an hour`,
          });
    return event(100 + n, type, now - (9 + n * 31) * MINUTE, {
      ...on(n % 3 === 0 ? ledger : machine, n % 2),
      note,
    });
  });
  return [...raised, ...others].sort((a, b) => (a.id < b.id ? 1 : -1));
}

/** A realistic organisation: five devices, all types of alerts, a long chain for every file. */
export function makeWorld(now: number = Date.now()): World {
  const list = devices(now);
  const raised = alerts(list, now);
  const chains = new Map(
    list
      .flatMap((of) => of.files)
      .map((one) => {
        const open = raised.find((candidate) => candidate.fileId === one.id && candidate.status === 'ACTIVE');
        return [one.id, chain(one, open, now)];
      }),
  );
  const orgId = uuid(10);
  const users = [
    { id: uuid(1), name: 'Ada Okafor', emailAddress: 'ada@example.org', role: 'ADMIN', orgId, active: true },
    {
      id: uuid(2),
      name: 'Jonas Lind',
      emailAddress: 'jonas@example.org',
      role: 'REGULAR',
      orgId,
      active: true,
    },
    { id: uuid(3), name: 'Mei Tan', emailAddress: 'mei@example.org', role: 'REGULAR', orgId, active: false },
  ] as const;
  return {
    now,
    orgId,
    orgName: 'Northlight Ledger Works',
    stripeId: null,
    users: users.map((user) => ({ ...user })),
    enrolments: [
      enrolment(1, 'Web servers of Frankfurt', now),
      enrolment(2, 'Cluster', now, { state: 'EXPIRED', uses: 1, usesLeft: 1, lastUse: null }),
    ],
    serviceTokens: [
      serviceToken(1, 'Report of the night', now),
      serviceToken(3, 'Pipeline of Graz', now, {
        limits: { deviceIds: [uuid(102)], labels: ['site:graz', 'site:wien'] },
      }),
      serviceToken(2, 'Rollout', now, { role: 'ADMIN', readOnly: false, state: 'EXPIRED', lastUse: null }),
    ],
    webhooks: [
      webhook(1, 'On-call', now, { deadLetters: 2, waiting: 1 }),
      webhook(2, 'Channel of the operators', now, {
        ...{ shape: 'slack', url: 'https://hooks.slack.com/…', enabled: false, disabledBecause: 'GONE' },
        lastAttempt: {
          ...{ at: new Date(now - 3_600_000).toISOString(), delivered: false, status: 410 },
          problem: 'the receiver answered 410 Gone',
        },
      }),
      webhook(3, 'SIEM', now, { shape: 'ocsf', lastAttempt: null }),
    ],
    deliveries: [
      delivery(1, now),
      delivery(2, now, {
        ...{ delivered: false, status: 503, answer: 'try later', attempt: 2, ms: 2_412 },
        problem: 'the receiver answered 503',
      }),
      delivery(3, now, {
        ...{ delivered: false, status: null, answer: '', ms: 10_003 },
        problem: 'no answer within 10 s',
      }),
    ],
    deadLetters: [deadLetter(1, now), deadLetter(2, now)],
    undeliveredMails: [],
    notificationRules: [
      notificationRule(1, 'New alerts and lost devices', now, {
        isDefault: true,
        changed: null,
        changedBy: null,
      }),
      notificationRule(2, 'Nights of the web servers', now, {
        to: { administrators: false, userIds: [uuid(3)], addresses: ['on-call@example.org'], webhookIds: [] },
        how: 'GATHERED',
        required: true,
      }),
    ],
    ownNotifications: { mails: true, zone: 'UTC', quietHours: null },
    expected: [
      expectedList(1, 'Release 4.2 of the shop', now),
      expectedList(2, 'Release 4.1 of the shop', now, { state: 'EXPIRED' }),
    ],
    windows: [
      maintenanceWindow(1, 'Update of the ledger', now),
      maintenanceWindow(2, 'New release of the application', now, {
        state: 'ENDED',
        scope: { labels: ['site:graz'] },
        end: new Date(now - 60_000).toISOString(),
      }),
      maintenanceWindow(3, 'Patches of the night', now, {
        state: 'PAUSED',
        scope: { everything: true },
        weekly: { days: ['SAT', 'SUN'], from: '02:30', minutes: 90, timeZone: 'Europe/Vienna' },
      }),
    ],
    devices: list,
    alerts: raised,
    events: events(list, { alerts: raised }, now),
    chains,
    histories: new Map(),
    savedViews: [],
  };
}
