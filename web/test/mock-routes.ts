import {
  alertName,
  COUNTED_FILTERS,
  eventWords,
  NOBODY,
  shownDateTime,
  type Alert,
  type AlertHistoryItem,
  type CountedFilter,
  type Dashboard,
  type Device,
  type DeviceListItem,
  type Event,
  type File,
  type Link,
  type SavedView,
} from '@sentinel-node/contracts';
import { hash, notificationRule, uuid, type World } from './fixtures.ts';
import { ok, problem, type Handler, type MockAnswer, type MockRequest } from './mock-answers.ts';
import { fileRoutes } from './mock-file-routes.ts';

const DAY_MS = 86_400_000;

export { invalid, ok, problem, type MockAnswer, type MockRequest } from './mock-answers.ts';

const listItem = ({ apiKey: _key, files, ...rest }: Device): DeviceListItem => ({
  ...rest,
  filesCount: files.length,
});

function page<T extends { id: string }>(
  all: T[],
  query: URLSearchParams,
): { page: T[]; lastId: string | null } {
  const lastId = query.get('lastId');
  const start = lastId === null ? 0 : all.findIndex((item) => item.id === lastId) + 1;
  const limit = Number(query.get('limit') ?? 50);
  const found = all.slice(start, start + limit);
  return { page: found, lastId: start + limit < all.length ? (found.at(-1)?.id ?? null) : null };
}

const inTime = (item: { timestamp: string }, query: URLSearchParams): boolean =>
  item.timestamp >= (query.get('timestampFrom') ?? '') && item.timestamp <= (query.get('timestampTo') ?? '9');

function eventText(item: Event): string {
  const parts = [
    ...eventWords(item),
    item.type,
    item.fileName,
    item.deviceName,
    shownDateTime(item.timestamp),
  ];
  return `${parts.join(' ')} ${shownDateTime(item.timestamp).replace(/(\d{4}),/, '$1')}`.toLowerCase();
}

function withAlert(world: World, item: Event): Event {
  const found = world.alerts.find(({ id }) => id === item.alertId);
  return found === undefined ? item : { ...item, alert: { type: found.type, status: found.status } };
}

function getEvents(world: World, { query }: MockRequest): MockAnswer {
  const search = (query.get('search') ?? '').toLowerCase();
  const all = world.events
    .map((item) => withAlert(world, item))
    .filter((item) => inTime(item, query) && eventText(item).includes(search));
  if (query.get('toExport') === 'true') return { status: 200, body: 'Id;Timestamp\r\n', type: 'text/csv' };
  const { page: events, lastId } = page(all, query);
  return ok({ events, lastId });
}

const valueOf = (world: World, item: Alert, name: CountedFilter | 'contentHash'): string | null => {
  if (name === 'category') return world.devices.find(({ id }) => id === item.deviceId)?.category ?? null;
  if (name === 'handledBy') return item.overrideUser;
  if (name === 'assignee') return item.assignee?.userId ?? NOBODY;
  if (name === 'planned') return item.planned === undefined ? 'no' : 'yes';
  if (name === 'expected') return item.expected === undefined ? 'no' : 'yes';
  if (name === 'list') return item.expected?.listId ?? null;
  if (name === 'window') return item.planned?.windowId ?? null;
  return item[name] ?? null;
};

const hasValues = (world: World, item: Alert, query: URLSearchParams, except?: string): boolean =>
  [...COUNTED_FILTERS, 'contentHash' as const].every((name) => {
    const wanted = query.get(name);
    return wanted === null || name === except || wanted === valueOf(world, item, name);
  });

function getAlertCounts(world: World, { query }: MockRequest): MockAnswer {
  const present = world.alerts.filter((item) => inTime(item, query));
  const counted = COUNTED_FILTERS.map((name) => {
    const found = new Map<string, number>();
    for (const item of present.filter((one) => hasValues(world, one, query, name))) {
      const value = valueOf(world, item, name);
      if (value !== null) found.set(value, (found.get(value) ?? 0) + 1);
    }
    const nameOf = (value: string): string =>
      [
        ...world.devices.flatMap((of) => [of, ...of.files]),
        ...world.users.map(({ id, emailAddress }) => ({ id, name: emailAddress })),
        ...world.expected.map(({ id, reason }) => ({ id, name: reason })),
        ...world.windows.map(({ id, reason }) => ({ id, name: reason })),
      ].find(({ id }) => id === value)?.name ?? value;
    return [name, [...found].map(([value, alerts]) => ({ value, name: nameOf(value), alerts }))];
  });
  const alerts = present.filter((item) => hasValues(world, item, query)).length;
  return ok({ alerts, ...Object.fromEntries(counted) });
}

/** Of a webhook; as the server makes it. */
const SECRET = `whsec_${'Ab3+'.repeat(11).slice(1)}=`;

const GROUPED = { DEVICE: 'deviceId', FILE: 'fileId', TYPE: 'type', CHANGE: 'contentHash' } as const;

function getAlertGroups(world: World, { query }: MockRequest): MockAnswer {
  const by = query.get('by') as keyof typeof GROUPED;
  const groups = new Map<string, Alert[]>();
  for (const item of world.alerts) {
    const key = valueOf(world, item, GROUPED[by]);
    if (key === null || !inTime(item, query) || !hasValues(world, item, query)) continue;
    groups.set(key, [...(groups.get(key) ?? []), item]);
  }
  const all = [...groups].map(([key, items]) => ({
    key,
    name: by === 'DEVICE' ? items[0]?.deviceName : by === 'TYPE' ? key : items[0]?.fileName,
    deviceName: by === 'FILE' ? items[0]?.deviceName : null,
    alerts: items.length,
    active: items.filter(({ status }) => status === 'ACTIVE').length,
    devices: new Set(items.map(({ deviceId }) => deviceId)).size,
    files: new Set(items.map(({ fileId }) => fileId)).size,
    newest: items[0]?.timestamp,
  }));
  all.sort((one, other) => other.alerts - one.alerts);
  return ok({ groups: all.slice(0, Number(query.get('limit') ?? 50)), total: all.length });
}

function assignAlerts(world: World, { body }: MockRequest): MockAnswer {
  const user = world.users.find(({ id }) => id === body['userId']);
  const answers = (body['ids'] as string[]).map((id) => {
    const found = world.alerts.find((item) => item.id === id);
    if (found === undefined) return { id, status: 404, code: 'NOT_FOUND' };
    if (user === undefined) Reflect.deleteProperty(found, 'assignee');
    else Object.assign(found, { assignee: { userId: user.id, email: user.emailAddress } });
    return { id, status: 200, code: null };
  });
  return ok({ answers });
}

function historyOf(world: World, id: string): MockAnswer {
  const found = world.alerts.find((item) => item.id === id);
  if (found === undefined) return problem('NOT_FOUND');
  const raised = { id: 'raised', kind: 'RAISED', timestamp: found.timestamp, by: null, text: null, to: [] };
  const { status, note: text, overrideUserEmail: by } = found;
  const timestamp = new Date(world.now).toISOString();
  const kind = status === 'RESOLVED' ? 'DISMISSED' : 'RESET';
  const handled = status === 'ACTIVE' ? [] : [{ id: 'handled', kind, timestamp, by, text, to: [] }];
  return ok({ history: [...handled, ...(world.histories.get(id) ?? []), raised] });
}

function comment(world: World, id: string, { body }: MockRequest): MockAnswer {
  const held = world.histories.get(id) ?? [];
  const item: AlertHistoryItem = {
    id: `comment-${held.length}`,
    kind: 'COMMENTED',
    timestamp: new Date(world.now).toISOString(),
    by: 'ada@example.org',
    text: String(body['text']),
    to: [],
  };
  world.histories.set(id, [item, ...held]);
  return historyOf(world, id);
}

/** @param to nobody ends the sharing */
function shareAlert(world: World, id: string, to: string[]): MockAnswer {
  const found = world.alerts.find((item) => item.id === id);
  if (found === undefined) return problem('NOT_FOUND');
  const timestamp = new Date(world.now).toISOString();
  const sharedData = to.map((emailAddress) => ({ emailAddress, timestamp }));
  const shareExpiresAt = to.length === 0 ? undefined : new Date(world.now + 30 * DAY_MS).toISOString();
  Object.assign(found, { shared: to.length > 0, sharedData, shareExpiresAt });
  const held = world.histories.get(id) ?? [];
  const item: AlertHistoryItem = {
    id: `shared-${held.length}`,
    kind: 'SHARED',
    timestamp,
    by: 'ada@example.org',
    text: null,
    to,
  };
  world.histories.set(id, [item, ...held]);
  return ok({});
}

function getAlerts(world: World, { query }: MockRequest): MockAnswer {
  const wanted = (item: Alert): boolean =>
    inTime(item, query) &&
    hasValues(world, item, query) &&
    `${item.fileName} ${item.deviceName} ${item.type} ${alertName[item.type]}`
      .toLowerCase()
      .includes((query.get('search') ?? '').toLowerCase());
  if (query.get('toExport') === 'true') return { status: 200, body: 'Id;Timestamp\r\n', type: 'text/csv' };
  const found = world.alerts.filter(wanted);
  const { page: alerts, lastId } = page(query.get('order') === 'oldest' ? found.reverse() : found, query);
  return ok({ alerts, lastId });
}

export function dashboard(world: World): Dashboard {
  const open = world.alerts.filter((one) => one.status === 'ACTIVE');
  const isPlanned = ({ planned }: Alert): boolean => planned?.reviewed === false;
  const active = open.filter((one) => one.expected === undefined && !isPlanned(one));
  const planned = open.filter((one) => one.expected === undefined && isPlanned(one)).length;
  const files = world.devices.flatMap((of) => of.files.map((one) => ({ of, one })));
  const lost = files.filter(({ one }) => one.contact === 'LOST');
  const monitored = files.filter(({ of, one }) => of.enabled && one.enabled);
  const waiting = monitored.filter(({ one }) => one.contact === 'WAITING').length;
  const heard = monitored.length - waiting;
  const off = files.filter(({ one }) => !one.enabled).length;
  const named = ({ of, one }: (typeof files)[number]) => ({
    id: one.id,
    name: one.name,
    deviceId: of.id,
    deviceName: of.name,
  });
  const parked = files.filter(({ one }) => one.parked !== undefined).map(named);
  const alarmed = new Set(active.map((one) => one.deviceId)).size;
  const count = world.devices.length;
  return {
    events: world.events.slice(0, 10),
    stripeIdSet: world.stripeId !== null,
    performance: {
      numberOfDevicesDefined: count,
      numberOfFilesDefined: files.length,
      numberOfDevicesActive: world.devices.filter((of) => of.status === 'ACTIVE' && of.enabled).length,
      performance: heard === 0 ? null : (100 * (heard - lost.length)) / heard,
      numberOfFilesMonitored: monitored.length,
      numberOfFilesWaiting: waiting,
      numberOfFilesWithoutContact: lost.length,
      noContactDevices: world.devices
        .map(({ id, name }) => ({ id, name, files: lost.filter(({ of }) => of.id === id).length }))
        .filter(({ files: count }) => count > 0),
      noContactFiles: lost.map(named),
    },
    health: {
      percent: count === 0 ? 100 : Math.round((100 * (count - alarmed)) / count),
      devices: count,
      devicesWithActiveAlert: alarmed,
    },
    devices: world.devices
      .map(({ id, name, enabled, status, files: all }) => ({
        id,
        name,
        enabled,
        status,
        files: all
          .filter((one) => !one.enabled)
          .map((one) => ({ id: one.id, name: one.name, enabled: one.enabled })),
      }))
      .filter((of) => !of.enabled || of.files.length > 0),
    alerts: active.slice(0, 3),
    activeAlerts: active.length,
    setAside: { planned, expected: open.length - active.length - planned },
    windowsToReview: 0,
    notMonitored: { devices: world.devices.filter((of) => !of.enabled).length, files: off },
    ...(parked.length > 0 && { notJudged: { files: parked.length, atLeast: false, named: parked } }),
    activity: hoursOf(world),
    contact: looksOf(hoursOf(world)),
  };
}

/** Parts of days in UTC, whatever zone is asked for. */
export function daysOf({ events, alerts, now }: World, { query }: MockRequest): MockAnswer {
  const [days, parts] = query.get('period') === '7d' ? [7, 4] : [30, 1];
  const partMs = DAY_MS / parts;
  const until = (Math.floor(now / partMs) + 1) * partMs;
  const first = Math.floor(now / DAY_MS) * DAY_MS - (days - 1) * DAY_MS;
  const counted = Array.from({ length: (until - first) / partMs }, (_, index) => {
    const start = first + index * partMs;
    const found = events.filter(
      ({ timestamp }) => Math.floor((Date.parse(timestamp) - start) / partMs) === 0,
    );
    const raised = found.filter(({ type }) => type === 'ALERT').length;
    return { start: new Date(start).toISOString(), events: found.length, alerts: raised };
  });
  const handled = alerts.filter(({ status }) => status !== 'ACTIVE').length;
  const handling = { alerts: alerts.length, handled, medianSeconds: 5_400 };
  const contact = looksOf(counted);
  return ok({ parts: counted, until: new Date(until).toISOString(), contact, handling });
}

/** The server was away for the first four parts; later it found some files lost. */
const looksOf = (parts: readonly { start: string }[]): Dashboard['contact'] =>
  parts.slice(4).map(({ start }, index) => {
    const lost = index >= 10 && index < 13 ? 2 : 0;
    return { start, inContact: 4 - lost, waiting: 1, lost, looks: 4 };
  });

function hoursOf({ events, now }: World): Dashboard['activity'] {
  const hourMs = 3_600_000;
  const last = Math.floor(now / hourMs);
  return Array.from({ length: 24 }, (_, index) => {
    const hour = last - 23 + index;
    const found = events.filter((one) => Math.floor(Date.parse(one.timestamp) / hourMs) === hour);
    const alerts = found.filter((one) => one.type === 'ALERT').length;
    return { start: new Date(hour * hourMs).toISOString(), events: found.length, alerts };
  });
}

function getChain(world: World, fileId: string, body: Record<string, unknown>): MockAnswer {
  const all = world.chains.get(fileId) ?? [];
  const around = all.findIndex((link) => link.id === body['hashId']);
  let [from, to] = [0, 10];
  if (typeof body['before'] === 'number') [from, to] = [around + 1, around + 1 + body['before']];
  else if (typeof body['after'] === 'number') [from, to] = [Math.max(0, around - body['after']), around];
  else if (around > 0) [from, to] = [Math.max(0, around - 5), around + 5];
  const links: Link[] = all.slice(from, to);
  return ok({ links, newer: from > 0, older: to < all.length });
}

function turnOff(world: World, id: string, { body }: MockRequest): MockAnswer {
  const found = world.alerts.find((one) => one.id === id);
  if (!found) return problem('NOT_FOUND');
  if (found.status !== 'ACTIVE') return problem('ALERT_NOT_ACTIVE');
  const seen = body['occurrences'];
  if (typeof seen === 'number' && found.occurrences > seen) return problem('ALERT_CHANGED');
  const status = body['status'] as Alert['status'];
  Object.assign(found, {
    status,
    note: body['note'],
    overrideUser: uuid(1),
    overrideUserEmail: 'ada@example.org',
  });
  for (const link of world.chains.get(found.fileId) ?? []) {
    if (link.id === found.hashId)
      Object.assign(link, { type: 'OVERRIDEN', alerts: [{ id, type: found.type, status }] });
  }
  return ok(found);
}

const known = <T extends { id: string }>(list: T[], id: string | undefined): MockAnswer => {
  const found = list.find((item) => item.id === id);
  return found ? ok(found) : problem('NOT_FOUND');
};

function changed<T extends { id: string }>(list: T[], id: string | undefined, part: Partial<T>): MockAnswer {
  const found = list.find((item) => item.id === id);
  return found ? ok(Object.assign(found, part)) : problem('NOT_FOUND');
}

const tagged = (of: object): MockAnswer => ({
  ...ok(of),
  headers: { etag: `"${hash(JSON.stringify(of)).slice(0, 8)}"` },
});

/** Changes what is found, unless it has changed since the caller read it. */
function changedIf<T extends object>(
  found: T | undefined,
  { ifMatch }: MockRequest,
  part: Partial<T>,
): MockAnswer {
  if (found === undefined) return problem('NOT_FOUND');
  if (ifMatch !== undefined && ifMatch !== tagged(found).headers?.['etag']) return problem('STALE');
  return tagged(Object.assign(found, part));
}

const byId = <T extends { id: string }>(list: T[], id: string | undefined): T | undefined =>
  list.find((item) => item.id === id);

const knownTagged = (list: { id: string }[], id: string | undefined): MockAnswer => {
  const found = byId(list, id);
  return found ? tagged(found) : problem('NOT_FOUND');
};

/** Changes a device, unless it has changed since the caller read it. */
function changeDevice(
  world: World,
  { ifMatch }: MockRequest,
  id: string | undefined,
  change: (found: Device) => void,
): MockAnswer {
  const found = world.devices.find((of) => of.id === id);
  if (!found) return problem('NOT_FOUND');
  if (ifMatch !== undefined && ifMatch !== tagged(found).headers?.['etag']) return problem('STALE');
  change(found);
  return tagged(found);
}

function changeFiles(of: Device, files: unknown): void {
  for (const input of (files ?? []) as { id?: string }[]) {
    const held = of.files.find((one) => one.id === input.id);
    if (held) Object.assign(held, input);
  }
}

const updateDevice = (world: World, request: MockRequest, id: string | undefined): MockAnswer =>
  changeDevice(world, request, id, (found) => {
    const { files, updateDeviceData, ...fields } = request.body;
    if (updateDeviceData !== false)
      Object.assign(found, { disabledNote: null, disabledDate: null, ...fields });
    if (!found.enabled) Object.assign(found, { disabledDate: new Date().toISOString() });
    changeFiles(found, files);
  });

const saveFiles = (world: World, request: MockRequest, id: string | undefined): MockAnswer =>
  changeDevice(world, request, id, (found) => changeFiles(found, request.body['files']));

/** A file as the configuration of an agent has it. */
const configured = ({
  id,
  path,
  monitoringFrequency,
  interval,
  rolled,
  modifiable,
  type,
  ...file
}: File) => ({
  id,
  path,
  type: monitoringFrequency,
  ...(interval !== undefined && { interval }),
  rolled,
  ...(file.rolledFilenameRegexp !== undefined && { rolledfilenameregexp: file.rolledFilenameRegexp }),
  modifiable,
  data: type.toLowerCase(),
});

/** Method and path, with `*` for an id. */
export const routes: Record<string, Handler> = {
  ...fileRoutes,
  'GET /dashboard/*': (world) => ok(dashboard(world)),
  'GET /dashboard/*/activity': daysOf,
  'GET /dashboard/*/devices': ({ devices }) =>
    ok({
      devices: devices.map(({ id, files }) => {
        const filesNotJudged = files.filter(({ parked }) => parked !== undefined).length;
        return {
          id,
          activeAlerts: files.reduce((sum, { activeAlerts }) => sum + activeAlerts, 0),
          filesWithoutContact: files.filter(({ contact }) => contact === 'LOST').length,
          ...(filesNotJudged > 0 && { filesNotJudged }),
        };
      }),
    }),
  'GET /events/*': getEvents,
  'GET /events/single/*/*/*': (world, _, ids) => known(world.events, ids[2]),
  'GET /alerts/*': getAlerts,
  'GET /alerts/*/*/*': (world, _, ids) => known(world.alerts, ids[2]),
  'GET /alerts/link/shared/proof/*': () => problem('UNAVAILABLE'),
  'GET /alerts/link/shared/data/*': (world, _, ids) => {
    const found = world.alerts.find((one) => one.id === ids[0]);
    if (found === undefined) return problem('NOT_FOUND');
    const overrideUserEmail = found.overrideUserEmail?.replace(/^(.)[^@]*/u, '$1…') ?? null;
    return ok({ ...found, overrideUserEmail, eventRequest: JSON.stringify(found.eventRequest) });
  },
  'POST /alerts/share/*/*/*': (world, { body }, ids) =>
    shareAlert(world, ids[2] ?? '', body['sharedEmailAddresses'] as string[]),
  'DELETE /alerts/share/*/*/*': (world, _, ids) => shareAlert(world, ids[2] ?? '', []),
  'PUT /alerts/turnoff/*': (world, request) => {
    const { ids, occurrences, ...handling } = request.body;
    const seen = occurrences as number[] | undefined;
    const answers = (ids as string[]).map((id, index) => {
      const one = { ...request, body: { ...handling, occurrences: seen?.[index] } };
      const { status, body } = turnOff(world, id, one);
      return { id, status, code: status === 200 ? null : (body as { code: string }).code };
    });
    return ok({ answers });
  },
  'PUT /alerts/turnoff/*/*/*/*': (world, request, ids) => turnOff(world, ids[3] ?? '', request),
  'GET /alerts/counts/*': getAlertCounts,
  'GET /alerts/groups/*': getAlertGroups,
  'GET /alerts/history/*/*/*': (world, _, ids) => historyOf(world, ids[2] ?? ''),
  'POST /alerts/comments/*/*/*': (world, request, ids) => comment(world, ids[2] ?? '', request),
  'PUT /alerts/assign/*': assignAlerts,
  'GET /alerts/views/*': ({ savedViews }) => ok({ views: savedViews }),
  'PUT /alerts/views/*': (world, { body }) => {
    world.savedViews = body['views'] as SavedView[];
    return ok({ views: world.savedViews });
  },
  'GET /devices/*': (world) => ok({ devices: world.devices.map(listItem) }),
  'GET /devices/*/*': ({ devices }, _, ids) => {
    const found = devices.find(({ id }) => id === ids[1]);
    return found ? tagged(found) : problem('NOT_FOUND');
  },
  'GET /devices/category/intervals': () =>
    ok([
      { type: 'STANDARD', interval: 3600 },
      { type: 'ADVANCED', interval: 600 },
      { type: 'MISSION_CRITICAL', interval: 60 },
    ]),
  'POST /devices/*': () => ok({ id: uuid(105) }, 201),
  'PUT /devices/*/*': (world, request, ids) => updateDevice(world, request, ids[1]),
  'PUT /devices/files/*/*': (world, request, ids) => saveFiles(world, request, ids[1]),
  'PUT /devices/delete/*/*': () => ok({}),
  'GET /devices/config/*/*': (world, _, ids) => {
    const found = world.devices.find((of) => of.id === ids[1]);
    if (!found) return problem('NOT_FOUND');
    const { id: devId, apiKey, healthInterval, path: workingDirectory, files } = found;
    const sentinelAddress = 'http://localhost:8443/api/v1';
    return ok({
      orgId: world.orgId,
      devId,
      apiKey,
      healthInterval,
      workingDirectory,
      sentinelAddress,
      clearOrphanedProcesses: true,
      files: files.filter(({ enabled }) => enabled).map(configured),
    });
  },
  'GET /enrolments/*': ({ enrolments }) => ok({ enrolments }),
  'POST /enrolments/*': () =>
    ok({ id: uuid(601), token: `enr1.${uuid(601)}.${'Ab3_'.repeat(11).slice(1)}` }, 201),
  'DELETE /enrolments/*/*': ({ enrolments }, _, ids) => {
    const found = enrolments.find(({ id }) => id === ids[1]);
    if (found === undefined) return problem('NOT_FOUND');
    Object.assign(found, { state: 'ENDED', ended: new Date().toISOString() });
    return ok({});
  },
  'GET /service-tokens/*': ({ serviceTokens }) => ok({ serviceTokens }),
  'POST /service-tokens/*': () =>
    ok({ id: uuid(651), token: `sst1.${uuid(651)}.${'Ab3_'.repeat(11).slice(1)}` }, 201),
  'DELETE /service-tokens/*/*': ({ serviceTokens }, _, ids) => {
    const found = serviceTokens.find(({ id }) => id === ids[1]);
    if (found === undefined) return problem('NOT_FOUND');
    Object.assign(found, { state: 'ENDED', ended: new Date().toISOString() });
    return ok({});
  },
  'GET /webhooks/*': ({ webhooks }) => ok({ webhooks }),
  'POST /webhooks/*': () => ok({ id: uuid(671), secret: SECRET }, 201),
  'PUT /webhooks/*/*': ({ webhooks }, { body }, ids) => {
    const found = webhooks.find(({ id }) => id === ids[1]);
    if (found === undefined) return problem('NOT_FOUND');
    const { enabled = found.enabled } = body as { enabled?: boolean };
    Object.assign(found, { enabled, disabledBecause: enabled ? null : 'PERSON' });
    return ok({});
  },
  'DELETE /webhooks/*/*': (world, _, ids) => {
    world.webhooks = world.webhooks.filter(({ id }) => id !== ids[1]);
    return ok({});
  },
  'POST /webhooks/secret/*/*': ({ webhooks }, _, ids) => {
    const previousValidUntil = new Date(Date.now() + 86_400_000).toISOString();
    const found = webhooks.find(({ id }) => id === ids[1]);
    Object.assign(found ?? {}, { previousSecretValidUntil: previousValidUntil });
    return ok({ secret: SECRET, previousValidUntil });
  },
  'POST /webhooks/test/*/*': () => ok({ noticeId: uuid(799) }, 202),
  'GET /webhooks/deliveries/*/*': ({ deliveries }) => ok({ deliveries }),
  'GET /webhooks/dead-letters/*/*': ({ deadLetters }) => ok({ deadLetters }),
  'POST /webhooks/dead-letters/*/*': (world, { body }) => {
    const { noticeIds } = body as { noticeIds: string[] };
    world.deadLetters = world.deadLetters.filter(({ noticeId }) => !noticeIds.includes(noticeId));
    return ok({ count: noticeIds.length }, 202);
  },
  'GET /notifications/rules/*': ({ notificationRules: rules, undeliveredMails: undelivered }) =>
    ok({ rules, undelivered }),
  'POST /notifications/rules/*': (world, { body }) => {
    const rule = { ...notificationRule(9, '', world.now), ...(body as object) };
    world.notificationRules.push(rule);
    return ok(rule, 201);
  },
  'GET /notifications/rules/*/*': ({ notificationRules }, _, ids) => knownTagged(notificationRules, ids[1]),
  'PUT /notifications/rules/*/*': ({ notificationRules }, request, ids) =>
    changedIf(byId(notificationRules, ids[1]), request, request.body),
  'DELETE /notifications/rules/*/*': (world, _, ids) => {
    world.notificationRules = world.notificationRules.filter(({ id }) => id !== ids[1]);
    return ok({});
  },
  'GET /notifications/own/*': ({ ownNotifications }) => tagged(ownNotifications),
  'PUT /notifications/own/*': ({ ownNotifications }, request) =>
    changedIf(ownNotifications, request, request.body),
  'POST /notifications/test/*': () => ok({}),
  'GET /expected/*': ({ expected }) =>
    ok({ lists: expected.map(({ contents: _contents, ...list }) => list) }),
  'GET /expected/*/*': ({ expected }, _, ids) => known(expected, ids[1]),
  'POST /expected/*': () => ok({ id: uuid(851) }, 201),
  'DELETE /expected/*/*': ({ expected }, _, ids) => {
    changed(expected, ids[1], { state: 'ENDED', ended: new Date().toISOString() });
    return ok({});
  },
  'GET /maintenance/*': ({ windows }, { query }) => {
    const toReview = windows.filter(({ state }) => state === 'ENDED');
    return ok({ windows: query.get('toReview') === 'true' ? toReview : windows, toReview: toReview.length });
  },
  'GET /maintenance/*/*': ({ windows }, _, ids) => knownTagged(windows, ids[1]),
  'POST /maintenance/*': () => ok({ id: uuid(751) }, 201),
  'PUT /maintenance/*/*': ({ windows }, request, ids) => {
    const { reason, end } = request.body;
    return changedIf(byId(windows, ids[1]), request, { reason: String(reason), end: String(end) });
  },
  'DELETE /maintenance/*/*': ({ windows }, _, ids) =>
    changed(windows, ids[1], { state: 'ENDED', ended: new Date().toISOString() }),
  'PUT /maintenance/review/*/*': (world, { body }, ids) => {
    const review = { at: new Date().toISOString(), by: 'ada@example.org', note: String(body['note']) };
    for (const one of world.alerts)
      if (one.planned?.windowId === ids[1])
        Object.assign(one, { planned: { ...one.planned, reviewed: true } });
    return changed(world.windows, ids[1], { state: 'REVIEWED', review });
  },
  'PUT /files/chain/*/*/*': (world, request, ids) => getChain(world, ids[2] ?? '', request.body),
  'GET /proofs/*/*/*': () => problem('UNAVAILABLE'),
  'GET /proofs/*/*/*/*': () => problem('UNAVAILABLE'),
  'DELETE /files/*/*/*': () => ok({}),
  'GET /orgs/*': (world) =>
    ok({
      id: world.orgId,
      name: world.orgName,
      sentinelAddress: 'http://localhost:8443/api/v1',
      stripeId: world.stripeId,
    }),
  'PUT /orgs/*': (world, { body }) => {
    world.stripeId = String(body['stripeId']);
    return ok({ id: world.orgId, name: world.orgName, sentinelAddress: '', stripeId: world.stripeId });
  },
  'POST /orgs': () => ok({ id: uuid(10) }, 201),
  'GET /users/*': (world) => ok({ users: world.users, orgName: world.orgName, stripeId: world.stripeId }),
  'POST /users/*': () => ok({ id: uuid(4) }, 201),
  'GET /users/*/*': ({ users }, _, ids) => knownTagged(users, ids[1]),
  'PUT /users/*/*': ({ users }, request, ids) => changedIf(byId(users, ids[1]), request, request.body),
  'DELETE /users/*/*': () => ok({}),
  'POST /users/resend/activationlink/*/*': () => ok({}),
  'PUT /users/confirm/link/*': (_world, _request, ids) =>
    ids[0] === 'good' ? ok('OK') : problem('NOT_FOUND'),
  'POST /logout': () => ok({}),
};
