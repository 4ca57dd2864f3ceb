import {
  COLLECTIONS,
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
  ApiError,
  compileChecker,
  holdsLoneSurrogate,
  LONE_SURROGATE,
  NotDurableError,
  OverloadedError,
  REPEATED,
  repeatedMember,
  type FieldError,
} from '@sentinel-node/platform';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { appendDurably } from '../append.ts';
import { noticeStamp, type Core } from '../core.ts';
import type { DeviceSnapshot } from '../domain/device-snapshot.ts';
import { twoAgentsNotice } from '../domain/notices.ts';
import { checkJson } from '../report-check.ts';
import { addressOf, DESCRIBED_ONLY, pass, withBody, type DeviceParams } from './device-call.ts';
import { textOf } from './read-body.ts';

type FileAnswer = HeartbeatAnswer['files'][number];

const heartbeats = compileChecker(HeartbeatSchema);
const encoder = new TextEncoder();

/** POST /devices/health/{orgId}/{deviceId}: the agent is alive; it hears where each of its files stands. */
export function heartbeatRoute(app: FastifyInstance, core: Core): void {
  const schema = {
    tags: ['Agents'],
    summary: 'Sends a heartbeat',
    body: HeartbeatSchema,
    response: { 200: HeartbeatAnswerSchema },
  };
  app.post<{ Params: DeviceParams }>(
    '/devices/health/:orgId/:deviceId',
    { ...DESCRIBED_ONLY, schema, config: { access: 'deviceKey' } },
    (request, reply) => takeHeartbeat(core, request, reply),
  );
}

async function takeHeartbeat(
  core: Core,
  request: FastifyRequest<{ Params: DeviceParams }>,
  reply: FastifyReply,
): Promise<HeartbeatAnswer> {
  const device = await core.devices.fresh(addressOf(request, request.params));
  pass(core.callRate, device.entity.id);
  const limits = { bodies: core.bodies, maxBytes: LIMITS.reportBytes, gzip: false };
  return withBody(request, reply, limits, async (body) => {
    const heartbeat = parse(textOf(body));
    const nowMs = core.deps.clock.now();
    await keep(core, device, heartbeat, nowMs);
    core.counts.heartbeats({});
    await noticeTwoAgents(core, device, heartbeat.instanceId, nowMs);
    return {
      configVersion: device.entity.configVersion,
      serverTime: new Date(nowMs).toISOString(),
      files: await fileAnswers(core, device, heartbeat),
    };
  });
}

/** @throws ApiError VALIDATION_FAILED */
function parse(text: string | undefined): Heartbeat {
  const checked = checkJson(text, heartbeats);
  const errors = checked.fits ? beyondTheSchema(text!, checked.value) : checked.errors;
  if (!checked.fits || errors.length > 0)
    throw new ApiError('VALIDATION_FAILED', 'The heartbeat is not valid.', errors);
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

async function keep(
  core: Core,
  { entity }: DeviceSnapshot,
  heartbeat: Heartbeat,
  nowMs: number,
): Promise<void> {
  const record: HealthRecord = {
    v: 1,
    orgId: entity.orgId,
    deviceId: entity.id,
    receivedAt: nowMs,
    heartbeat,
  };
  const body = encoder.encode(JSON.stringify(record));
  const id = `${entity.id}:${nowMs}`;
  await core.deps.eventLog.append(TOPICS.deviceHealth, [{ key: entity.id, id, body }]);
}

/** A store that is busy does not fail the heartbeat: the agents go on alternating, and the next one tells. */
async function noticeTwoAgents(
  core: Core,
  { entity }: DeviceSnapshot,
  instanceId: string,
  nowMs: number,
): Promise<void> {
  const alternating = core.agents.see(entity.id, instanceId, nowMs, entity.healthInterval);
  if (!alternating || !core.twoAgents.take(entity.id, nowMs)) return;
  try {
    await appendDurably(core, [twoAgentsNotice(entity, noticeStamp(core, nowMs))]);
  } catch (error) {
    core.twoAgents.giveBack(entity.id);
    if (!(error instanceof OverloadedError || error instanceof NotDurableError)) throw error;
  }
}

async function fileAnswers(core: Core, device: DeviceSnapshot, { files }: Heartbeat): Promise<FileAnswer[]> {
  const ids = [...new Set(files.map(({ id }) => id))].filter((id) => device.files.has(id));
  if (ids.length === 0) return [];
  const documents = await core.deps.store.getMany(COLLECTIONS.fileStates, ids);
  const states = new Map(documents.map((document) => [document.id, document as unknown as FileState]));
  return ids.map((id) => answerOf(id, states.get(id)));
}

function answerOf(id: string, state: FileState | undefined): FileAnswer {
  return {
    id,
    lastSequence: state?.sequence ?? 0,
    length: state?.length ?? null,
    hash: state?.hash ?? null,
    number: state?.number ?? null,
    linkHash: state?.linkHash ?? null,
  };
}
