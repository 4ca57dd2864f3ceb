import {
  HeartbeatAnswerSchema,
  HeartbeatSchema,
  isRealTime,
  LIMITS,
  TOPICS,
  type FileState,
  type HealthRecord,
  type Heartbeat,
  type HeartbeatAnswer,
} from '@sentinel-node/contracts';
import {
  compileChecker,
  holdsLoneSurrogate,
  LONE_SURROGATE,
  REPEATED,
  repeatedMember,
  type FieldError,
} from '@sentinel-node/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import type { HeartbeatParts } from '../core.ts';
import { FILE_STATES_COLLECTION } from '../file-states.ts';
import { healthRecordId } from '../health-follower.ts';
import type { DeviceSnapshot } from '../domain/device-snapshot.ts';
import type { Heard } from '../domain/heard-device.ts';
import { Refusal } from '../domain/refusal.ts';
import { filesOfStuck, REPORT_REFUSED, REPORTS_WAIT, withProblems } from '../domain/deliveries.ts';
import { noticeEvents, noticeTwoAgents, noticeUndelivered } from '../notice.ts';
import { resultOrRefusal } from '../refusal-of.ts';
import { answerOf } from './answers.ts';
import { checkJson } from '../report-check.ts';
import { addressOf, callingDevice, DESCRIBED_ONLY, withBody, type DeviceParams } from './device-call.ts';
import { textOf } from './read-body.ts';

type FileAnswer = HeartbeatAnswer['files'][number];

const heartbeats = compileChecker(HeartbeatSchema);
const encoder = new TextEncoder();

/**
 * POST /devices/health/{orgId}/{deviceId}: records that the agent is alive and answers with the state of each of its
 * files.
 */
export function heartbeatRoute(app: FastifyInstance, parts: HeartbeatParts): void {
  const schema = {
    tags: ['Agents'],
    summary: 'Sends a heartbeat',
    body: HeartbeatSchema,
    response: { 200: HeartbeatAnswerSchema },
  };
  app.post<{ Params: DeviceParams }>(
    '/devices/health/:orgId/:deviceId',
    { ...DESCRIBED_ONLY, schema, config: { access: 'deviceKey' } },
    (request, reply) => answerOf(takeHeartbeat(parts, request, reply)),
  );
}

async function takeHeartbeat(
  parts: HeartbeatParts,
  request: FastifyRequest<{ Params: DeviceParams }>,
  reply: FastifyReply,
): Promise<HeartbeatAnswer | Refusal> {
  const device = await callingDevice(parts, addressOf(request, request.params));
  if (device instanceof Refusal) return device;
  const { small: pool, pace } = parts.bodies;
  const rules = { pool, pace, maxBytes: LIMITS.heartbeatBytes, device: device.entity };
  return withBody(request, reply, rules, async (body) => {
    const heartbeat = parse(textOf(body));
    if (heartbeat instanceof Refusal) return heartbeat;
    const nowMs = parts.clock.now();
    const heard = parts.heard.take(device.entity, heartbeat, nowMs, parts.clockWatch.revision(nowMs));
    if (heard === undefined) return late();
    const notTold = await noticeEvents(parts, device, heartbeat, nowMs);
    await noticeUndelivered(parts, device, heartbeat, heard, nowMs);
    const problems = await resultOrRefusal(() => undelivered(parts, heartbeat, heard.isStuck));
    if (problems instanceof Refusal) return problems;
    const notKept = await keep(parts, device, withProblems(heartbeat, problems), heard);
    if (notKept !== undefined) return notKept;
    // The agent sends events that were refused again; its device is heard of all the same.
    if (notTold !== undefined) return notTold;
    parts.counts.heartbeats({});
    await noticeTwoAgents(parts, device, heard, nowMs);
    const files = await resultOrRefusal(() => fileAnswers(parts, device, heartbeat));
    if (files instanceof Refusal) return files;
    const serverTime = new Date(nowMs).toISOString();
    return { configVersion: device.entity.configVersion, serverTime, files };
  });
}

function parse(text: string | undefined): Heartbeat | Refusal {
  const checked = checkJson(text, heartbeats);
  const errors = checked.fits ? beyondTheSchema(text!, checked.value) : checked.errors;
  if (!checked.fits || errors.length > 0)
    return new Refusal('VALIDATION_FAILED', { detail: 'The heartbeat is not valid.', errors });
  return checked.value;
}

function beyondTheSchema(text: string, heartbeat: Heartbeat): readonly FieldError[] {
  const repeated = repeatedMember(text);
  if (repeated !== undefined) return [{ path: repeated, message: REPEATED }];
  return holdsLoneSurrogate(text) ? [{ path: '', message: LONE_SURROGATE }] : unrealTimes(heartbeat);
}

function unrealTimes({ timestamp, oldestUnsent, files }: Heartbeat): readonly FieldError[] {
  const times = [
    { path: '/timestamp', time: timestamp },
    { path: '/oldestUnsent', time: oldestUnsent },
    ...files.map(({ checkedAt }, index) => ({ path: `/files/${index}/checkedAt`, time: checkedAt })),
  ];
  const wrong = times.find(({ time }) => time !== null && !isRealTime(time));
  return wrong === undefined
    ? []
    : [{ path: wrong.path, message: 'must be a time that exists, from 1970 on' }];
}

/** Returns the problems of files of which something did not reach the server. */
async function undelivered(
  { store, refusedFiles }: HeartbeatParts,
  heartbeat: Heartbeat,
  isStuck: boolean,
): Promise<ReadonlyMap<string, string>> {
  await refusedFiles.known();
  const stuck = isStuck ? filesOfStuck(heartbeat) : [];
  const problems = new Map(stuck.map((id) => [id, REPORTS_WAIT]));
  const named = refusedFiles.size === 0 ? [] : heartbeat.files.map(({ id }) => id);
  const refused = named.filter((id) => refusedFiles.refusedAt(id) !== undefined);
  if (refused.length === 0) return problems;
  const documents = await store.getMany(FILE_STATES_COLLECTION.name, refused);
  const checkedAt = new Map(documents.map((document) => [document.id, document.checkedAt ?? 0]));
  for (const id of refused) {
    const refusedAt = refusedFiles.refusedAt(id) ?? 0;
    const acceptedAt = checkedAt.get(id) ?? 0;
    // Another process may have taken a report since.
    if (acceptedAt > refusedAt) refusedFiles.accepted(id, acceptedAt);
    else problems.set(id, REPORT_REFUSED);
  }
  return problems;
}

/** Returns the refusal of a heartbeat that is older than the last one: its agent, if it still waits for the answer, sends another. */
const late = (): Refusal =>
  new Refusal('UNAVAILABLE', {
    detail: 'The heartbeat is older than the last one of this agent. Send a new one.',
    retryAfterSeconds: 1,
  });

async function keep(
  { eventLog, processName }: HeartbeatParts,
  { entity }: DeviceSnapshot,
  heartbeat: Heartbeat,
  { receivedAt, at }: Heard,
): Promise<Refusal | undefined> {
  const record: HealthRecord = {
    v: 1,
    orgId: entity.orgId,
    deviceId: entity.id,
    receivedAt,
    ...(at === undefined ? {} : { at }),
    heartbeat,
  };
  const body = encoder.encode(JSON.stringify(record));
  const id = healthRecordId(entity.id, receivedAt, processName);
  const kept = await resultOrRefusal(() =>
    eventLog.append(TOPICS.deviceHealth, [{ key: entity.id, id, body }]),
  );
  return kept instanceof Refusal ? kept : undefined;
}

async function fileAnswers(
  { store }: HeartbeatParts,
  device: DeviceSnapshot,
  { files }: Heartbeat,
): Promise<FileAnswer[]> {
  const ids = [...new Set(files.map(({ id }) => id))].filter((id) => device.files.has(id));
  if (ids.length === 0) return [];
  const documents = await store.getMany(FILE_STATES_COLLECTION.name, ids);
  const states = new Map(documents.map((document) => [document.id, document]));
  return ids.map((id) => fileAnswer(id, states.get(id)));
}

function fileAnswer(id: string, state: FileState | undefined): FileAnswer {
  return {
    id,
    lastSequence: state?.sequence ?? 0,
    length: state?.length ?? null,
    hash: state?.hash ?? null,
    number: state?.number ?? null,
    linkHash: state?.linkHash ?? null,
  };
}
