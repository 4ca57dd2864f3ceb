/**
 * Common begin of most journeys: the system, an organisation with its ADMIN, a device with files, a live
 * stream.
 */
import type { Test } from 'tap';
import type { Alert, Event, FileInput, Link } from '@sentinel-node/contracts';
import type { ReceivedFrame } from '@sentinel-node/test-kit/fakes';
import { founder, type Answer, type Member } from './client.ts';
import { addFiles, deviceOf, version, type Reporter } from './reporter.ts';
import { openStream, type Stream } from './sse.ts';
import { startedSystem, type System } from './system.ts';
import { until } from './until.ts';

export interface Scene<S extends System = System> {
  readonly node: S;
  readonly admin: Member;
  readonly agent: Reporter;
  readonly files: Readonly<Record<string, string>>;
  readonly stream: Stream;
}

export async function scene(
  t: Test,
  wishes: Readonly<Record<string, Partial<FileInput>>>,
  env: Readonly<Record<string, string>> = {},
): Promise<Scene> {
  return sceneOn(t, await startedSystem(t, env), wishes);
}

export async function sceneOn<S extends System>(
  t: Test,
  node: S,
  wishes: Readonly<Record<string, Partial<FileInput>>>,
): Promise<Scene<S>> {
  const admin = await founder(node);
  const stream = await openStream(t, admin);
  const agent = await deviceOf(admin);
  const files = await addFiles(agent, wishes);
  return { node, admin, agent, files, stream };
}

/**
 * Returns a scene with a history made by five reports: the file `one` has a chain of three links, given
 * newest first, and `two` has an alert that a person turned off.
 */
export async function historyOn<S extends System>(t: Test, node: S) {
  const made = await sceneOn(t, node, { one: {}, two: {} });
  const { admin, agent, files, stream } = made;
  const { one = '', two = '' } = files;
  await agent.report(one, 'FIRST', version('a'));
  await agent.report(one, 'REPLACED', version('a'), version('b'), version('c'));
  await agent.report(two, 'FIRST', version('a'));
  await agent.report(two, 'MISSING');
  await agent.heartbeat('one');
  await turnOff(admin, await raisedOn(stream, two, 'EMPTY'), 'DEACTIVATED');
  return { ...made, one, links: await linksOnce(agent, one, 3) };
}

/** Returns the chain of a file, newest first, as the console reads it. */
export async function linksOf({ member, path }: Reporter, fileId: string): Promise<Link[]> {
  const { links } = await member.done('PUT', `/files/chain/${path}/${fileId}`, { before: 500 });
  return links as Link[];
}

/** Waits until the chain has `count` links. @returns the chain */
export function linksOnce(agent: Reporter, fileId: string, count: number): Promise<Link[]> {
  return until(`${count} links`, async () => {
    const links = await linksOf(agent, fileId);
    return links.length >= count ? links : undefined;
  });
}

/** Waits until the chain has links and each has a transaction. @returns the chain */
export function anchoredLinks(agent: Reporter, fileId: string): Promise<Link[]> {
  return until('anchored links', async () => {
    const links = await linksOf(agent, fileId);
    return links.length > 0 && links.every(({ bsvId }) => bsvId !== null) ? links : undefined;
  });
}

/** Returns the parts of links that a person sees. */
export function shown(links: readonly Link[]) {
  return links.map(({ type, firstHash, hash, alerts }) => {
    return { type, firstHash, hash, statuses: alerts.map(({ status }) => status) };
  });
}

export async function alertsOf(agent: Reporter, fileId: string): Promise<Alert[]> {
  const { alerts } = await agent.member.done('GET', `/alerts/${agent.path}?limit=500`);
  return (alerts as Alert[]).filter((alert) => alert.fileId === fileId);
}

/** Waits until the file has alerts, which a store may show later than the link that raised them. */
export function alertsOnce(agent: Reporter, fileId: string): Promise<Alert[]> {
  return until('an alert', async () => {
    const alerts = await alertsOf(agent, fileId);
    return alerts.length > 0 ? alerts : undefined;
  });
}

export async function eventsOf(agent: Reporter, fileId: string): Promise<Event[]> {
  return (await agent.member.done('GET', `/events/${agent.path}/${fileId}?limit=500`)).events as Event[];
}

/** Waits for an alert of the file on the live stream. */
export async function raisedOn(stream: Stream, fileId: string, type: Alert['type']): Promise<Alert> {
  const { data } = await stream.next(`alert ${type}`, isOf('alert', fileId, type));
  return data as Alert;
}

/** Waits on the live stream for an event of the type that fits. */
export async function toldOn(
  stream: Stream,
  type: Event['type'],
  fits: (event: Event) => boolean,
): Promise<Event> {
  const { data } = await stream.next(
    `event ${type}`,
    ({ event, data }) => event === 'event' && (data as Event).type === type && fits(data as Event),
  );
  return data as Event;
}

const isOf =
  (event: string, fileId: string, type: string) =>
  (frame: ReceivedFrame): boolean =>
    frame.event === event && frame.data.fileId === fileId && frame.data.type === type;

/** Turns an alert off as a person does. A view that does not show it in time answers UNAVAILABLE: the command stands, and is repeated. */
export function turnOff(
  member: Member,
  alert: Pick<Alert, 'id' | 'deviceId' | 'fileId'>,
  status: 'RESOLVED' | 'DEACTIVATED',
  more: { readonly note?: string; readonly occurrences?: number } = {},
): Promise<Answer> {
  const { id, deviceId, fileId } = alert;
  const path = `/alerts/turnoff/${member.orgId}/${deviceId}/${fileId}/${id}`;
  return until('an answer that shows the alert turned off', async () => {
    const answer = await member.api('PUT', path, { note: 'looked into it', status, ...more });
    return answer.body?.code === 'UNAVAILABLE' ? undefined : answer;
  });
}
