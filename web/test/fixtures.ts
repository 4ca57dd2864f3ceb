import { createHash } from 'node:crypto';
import type {
  Alert,
  AlertHistoryItem,
  AlertType,
  Device,
  Enrolment,
  Event,
  EventType,
  File,
  Link,
  SavedView,
  User,
  NotificationRule,
  UndeliveredMail,
  NotificationSetting,
  Expected,
  Maintenance,
  ServiceToken,
  Webhook,
  WebhookDeadLetter,
  WebhookDelivery,
} from '@sentinel-node/contracts';

export const hash = (text: string): string => createHash('sha256').update(text).digest('hex');
export const uuid = (n: number): string => `0198f000-0000-7000-8000-${String(n).padStart(12, '0')}`;
const MINUTE = 60_000;

/** Everything that the mock server knows: the objects as reads give them. */
export interface World {
  now: number;
  orgId: string;
  orgName: string;
  stripeId: string | null;
  users: User[];
  devices: Device[];
  enrolments: Enrolment[];
  serviceTokens: ServiceToken[];
  webhooks: Webhook[];
  deliveries: WebhookDelivery[];
  deadLetters: WebhookDeadLetter[];
  notificationRules: NotificationRule[];
  undeliveredMails: UndeliveredMail[];
  ownNotifications: NotificationSetting;
  windows: Maintenance[];
  expected: Expected[];
  alerts: Alert[];
  events: Event[];
  /** By file, newest first. */
  chains: Map<string, Link[]>;
  /** By alert, newest first. */
  histories: Map<string, AlertHistoryItem[]>;
  savedViews: SavedView[];
}

/** 26 characters that sort by time, as real ids do. */
export function timeId(at: number, n: number): string {
  return `${at.toString(32).toUpperCase().padStart(10, '0')}${String(n).padStart(16, '0')}`;
}

const iso = (at: number): string => new Date(at).toISOString();

const fileDefaults = {
  description: '',
  type: 'TEXT',
  monitoringFrequency: 'FOLLOW',
  rolled: false,
  modifiable: true,
  enabled: true,
  contact: 'OK',
  activeAlerts: 0,
} as const;

export function file(n: number, name: string, path: string, now: number, more: Partial<File> = {}): File {
  const dates = { creationDate: iso(now - 9 * 1440 * MINUTE), lastContact: iso(now - 20_000) };
  return { ...fileDefaults, id: uuid(1000 + n), name, path, ...dates, ...more };
}

export function notificationRule(
  n: number,
  name: string,
  now: number,
  more: Partial<NotificationRule> = {},
): NotificationRule {
  return {
    id: uuid(660 + n),
    name,
    enabled: true,
    when: {
      types: ['alert.raised', 'device.lost'],
      alertTypes: [],
      deviceIds: [],
      fileIds: [],
      categories: [],
      severity: 'info',
    },
    to: { administrators: true, userIds: [], addresses: [], webhookIds: [] },
    how: 'AT_ONCE',
    dailyHour: 8,
    zone: 'UTC',
    quietHours: null,
    urgent: false,
    required: false,
    gaps: { tellsNobody: false, notReached: [], neverTold: [] },
    isDefault: false,
    changed: iso(now - 60 * MINUTE),
    changedBy: 'ada@example.org',
    ...more,
  };
}

export function serviceToken(
  n: number,
  name: string,
  now: number,
  more: Partial<ServiceToken> = {},
): ServiceToken {
  return {
    id: uuid(650 + n),
    name,
    role: 'REGULAR',
    readOnly: true,
    limits: null,
    state: 'VALID',
    creationDate: iso(now - 1440 * MINUTE),
    createdBy: 'ada@example.org',
    expires: iso(now + 89 * 1440 * MINUTE),
    ended: null,
    lastUse: { at: iso(now - 3 * MINUTE), address: '203.0.113.7' },
    ...more,
  };
}

export function webhook(n: number, name: string, now: number, more: Partial<Webhook> = {}): Webhook {
  return {
    id: uuid(670 + n),
    name,
    shape: 'cloudevents',
    url: 'https://receiver.example.org/sentinel',
    enabled: true,
    disabledBecause: null,
    creationDate: iso(now - 1440 * MINUTE),
    createdBy: 'ada@example.org',
    previousSecretValidUntil: null,
    rules: ['Nights of the web servers'],
    waiting: 0,
    deadLetters: 0,
    leftOut: null,
    lastAttempt: { at: iso(now - 3 * MINUTE), delivered: true, status: 200, problem: null },
    ...more,
  };
}

export function delivery(n: number, now: number, more: Partial<WebhookDelivery> = {}): WebhookDelivery {
  return {
    id: uuid(700 + n),
    noticeId: uuid(750 + n),
    noticeType: 'alert.raised',
    at: iso(now - n * 3 * MINUTE),
    attempt: 1,
    delivered: true,
    status: 200,
    ms: 84,
    answer: 'ok',
    problem: null,
    ...more,
  };
}

export function deadLetter(n: number, now: number): WebhookDeadLetter {
  return {
    noticeId: uuid(780 + n),
    noticeType: 'alert.raised',
    text: `The file /etc/passwd of web-${n} has changed.`,
    at: iso(now - 4 * 1440 * MINUTE),
    givenUpAt: iso(now - 1440 * MINUTE),
    attempts: 24,
    problem: 'the receiver answered 500',
  };
}

export function enrolment(n: number, name: string, now: number, more: Partial<Enrolment> = {}): Enrolment {
  const { description, ...template } = { ...fileDefaults, name: 'System log', path: '/var/log/syslog' };
  const { contact: _contact, activeAlerts: _alerts, ...logged } = template;
  return {
    id: uuid(600 + n),
    name,
    namePattern: '{host}',
    template: {
      path: '/',
      healthInterval: 60,
      category: 'MISSION_CRITICAL',
      files: [{ ...logged, description }],
    },
    state: 'USABLE',
    uses: 500,
    usesLeft: 388,
    lastUse: iso(now - 3 * MINUTE),
    creationDate: iso(now - 1440 * MINUTE),
    createdBy: 'ada@example.org',
    expires: iso(now + 6 * 1440 * MINUTE),
    ended: null,
    ...more,
  };
}

export function device(n: number, name: string, now: number, more: Partial<Device> = {}): Device {
  return {
    id: uuid(100 + n),
    name,
    description: '',
    path: '/var/lib/sentinel',
    healthInterval: 60,
    enabled: true,
    category: 'MISSION_CRITICAL',
    disabledNote: null,
    disabledDate: null,
    emailAddress: null,
    creationDate: iso(now - (10 + n) * 1440 * MINUTE),
    status: 'ACTIVE',
    lastContact: iso(now - 12_000),
    apiKey: `sk1.${hash(name).slice(0, 43)}`,
    files: [],
    ...more,
  };
}

export function alert(
  n: number,
  type: AlertType,
  of: Device,
  target: File,
  at: number,
  more: Partial<Alert> = {},
): Alert {
  return {
    id: timeId(at, n),
    timestamp: iso(at),
    status: 'ACTIVE',
    type,
    deviceId: of.id,
    deviceName: of.name,
    fileId: target.id,
    fileName: target.name,
    overrideUser: null,
    overrideUserEmail: null,
    shared: false,
    sharedData: [],
    hashId: timeId(at, 7000 + n),
    eventRequest: {
      sequence: at * 1000,
      timestamp: iso(at - 140),
      change: type === 'EMPTY' ? 'MISSING' : 'APPENDED',
      versions:
        type === 'EMPTY'
          ? []
          : [
              { length: 18_204, hash: hash(`${n} before`) },
              { length: 18_911, hash: hash(`${n} now`) },
            ],
      reread: true,
      configVersion: 7,
    },
    bsvTransactionID: null,
    note: null,
    occurrences: 1,
    lastTimestamp: iso(at),
    ...more,
  };
}

export function event(n: number, type: EventType, at: number, more: Partial<Event> = {}): Event {
  const nothing = {
    deviceId: null,
    deviceName: null,
    fileId: null,
    fileName: null,
    alertId: null,
    hashId: null,
  };
  return { id: timeId(at, n), timestamp: iso(at), type, ...nothing, note: '{}', ...more };
}

/** A chain with a baseline, a dismissed and a reset break, an open break and a newest link. */
export function chain(of: File, open: Alert | undefined, now: number): Link[] {
  const first = now - 30 * 1440 * MINUTE;
  const links = Array.from({ length: 34 }, (_, number): Link => {
    const at = first + number * 1300 * MINUTE;
    const confirmations = Math.max(0, 33 - number) * 4;
    const mined = number < 32;
    return {
      id: timeId(at, 5000 + number),
      number,
      hash: hash(`${of.id} ${number}`),
      firstHash: number === 0 || number === 20,
      type: number === 0 || number === 20 ? 'BASELINE' : 'LINK',
      length: 12_000 + number * 611,
      timestamp: iso(at),
      linkHash: hash(`link ${of.id} ${number}`),
      bsvId: mined ? hash(`tx ${number}`) : null,
      anchor: {
        state: mined ? 'CONFIRMED' : number === 32 ? 'BROADCAST' : 'RECEIVED',
        batch: mined ? 400 + number : null,
        confirmations: mined ? confirmations : 0,
      },
      alerts: [],
    };
  });
  const handle = (number: number, status: 'RESOLVED' | 'DEACTIVATED', type: AlertType): void => {
    const link = links[number];
    if (link) Object.assign(link, { type: 'OVERRIDEN', alerts: [{ id: `A${number}`, type, status }] });
  };
  handle(12, 'RESOLVED', 'HASH_BREACH_IN_REQ');
  handle(19, 'DEACTIVATED', 'HASH_BREACH');
  handle(27, 'RESOLVED', 'UNEXPECTED_CHANGE');
  const last = links.at(-1);
  if (last && open) {
    const alerts = [{ id: open.id, type: open.type, status: open.status }];
    Object.assign(last, { id: open.hashId, type: 'BREAK', timestamp: open.timestamp, alerts });
  } else if (last) Object.assign(last, { type: 'END' });
  return links.reverse();
}

export const maintenanceWindow = (
  n: number,
  reason: string,
  now: number,
  more: Partial<Maintenance> = {},
): Maintenance => {
  const [from, to] = [new Date(now - 3_600_000).toISOString(), new Date(now + 3_600_000).toISOString()];
  return {
    id: uuid(700 + n),
    reason,
    scope: { deviceIds: [uuid(101)] },
    start: from,
    end: to,
    weekly: null,
    state: 'OPEN',
    intervals: [{ from, to }],
    creationDate: from,
    createdBy: 'ada@example.org',
    changes: 0,
    ended: null,
    review: null,
    ...more,
  };
};

export const expectedList = (
  n: number,
  reason: string,
  now: number,
  more: Partial<Expected> = {},
): Expected => ({
  id: uuid(800 + n),
  reason,
  scope: { labels: ['site:graz'] },
  state: 'VALID',
  entries: 2,
  creationDate: new Date(now - 3_600_000).toISOString(),
  createdBy: 'ada@example.org',
  end: new Date(now + 3_600_000).toISOString(),
  ended: null,
  contents: ['shop.js', 'shop.css'].map((name) => ({ path: `/srv/web/${name}`, sha256: hash(name) })),
  ...more,
});
