import { LIMITS, ReportAcceptedSchema, ReportSchema, type ErrorCode } from '@sentinel-node/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { acceptLine, isRejected, type AcceptedLine } from '../accept-line.ts';
import { appendOrUndo } from '../append.ts';
import type { ReportParts } from '../core.ts';
import type { DeviceAddress } from '../devices.ts';
import { refusalOfFile } from '../domain/accept.ts';
import type { DeviceSnapshot } from '../domain/device-snapshot.ts';
import { Refusal } from '../domain/refusal.ts';
import { rateRefusal } from '../refusal-of.ts';
import { checkReport } from '../report-check.ts';
import { errorOf } from './answers.ts';
import {
  addressOf,
  DESCRIBED_ONLY,
  isReceiptWanted,
  RECEIPT_DESCRIPTION,
  withBody,
  type DeviceParams,
} from './device-call.ts';
import { textOf } from './read-body.ts';

type Params = DeviceParams & { readonly fileId: string };

/** POST /files/{orgId}/{deviceId}/{fileId}: one report; answers 202 once it is durable. */
export function reportRoute(app: FastifyInstance, parts: ReportParts): void {
  const schema = {
    tags: ['Agents'],
    summary: 'Sends one report of a file',
    description: RECEIPT_DESCRIPTION,
    body: ReportSchema,
    response: { 202: ReportAcceptedSchema },
  };
  app.post<{ Params: Params }>(
    '/files/:orgId/:deviceId/:fileId',
    { ...DESCRIBED_ONLY, schema, config: { access: 'deviceKey' } },
    async (request, reply) => {
      let code: ErrorCode | 'ACCEPTED' = 'INTERNAL';
      try {
        const answer = await takeReport(parts, request, reply);
        code = answer instanceof Refusal ? answer.code : 'ACCEPTED';
        if (answer instanceof Refusal) throw errorOf(answer);
        return reply.code(202).type('application/json; charset=utf-8').send(answer);
      } finally {
        parts.counts.reports({ code });
      }
    },
  );
}

async function takeReport(
  parts: ReportParts,
  request: FastifyRequest<{ Params: Params }>,
  reply: FastifyReply,
): Promise<string | Refusal> {
  const { params } = request;
  const { devices, reportRates, backlog } = parts;
  const address = addressOf(request, params);
  const found = await devices.find(address);
  if (found instanceof Refusal) return found;
  const { entity } = found;
  // A refused report is not counted.
  const limited = backlog.refusalOf(entity.orgId) ?? rateRefusal(reportRates.take(entity));
  if (limited !== undefined) return limited;
  const { small: pool, pace } = parts.bodies;
  const rules = { pool, pace, maxBytes: LIMITS.reportBytes, device: entity };
  const wantsReceipt = isReceiptWanted(request, reply);
  const answer = await withBody(request, reply, rules, (body) =>
    takeBody(parts, { ...params, address, wantsReceipt }, body),
  );
  if (isTooLarge(answer) && refusalOfFile(found, found.files.get(params.fileId)) === undefined)
    parts.judge.refusedFiles.refused(entity.orgId, params.fileId, parts.judge.clock.now());
  return answer;
}

const isTooLarge = (answer: string | Refusal): boolean =>
  answer instanceof Refusal && answer.code === 'PAYLOAD_TOO_LARGE';

interface ReportCall {
  readonly address: DeviceAddress;
  readonly fileId: string;
  readonly wantsReceipt: boolean;
}

async function takeBody(
  parts: ReportParts,
  { address, fileId, wantsReceipt }: ReportCall,
  source: Buffer,
): Promise<string | Refusal> {
  const device = await deviceOf(parts, address, fileId);
  if (device instanceof Refusal) return device;
  const result = acceptLine(parts.judge, {
    device,
    fileId,
    file: device.files.get(fileId),
    checked: checkReport(source, () => textOf(source)),
    source,
    start: 0,
    end: source.length,
    allocate: (bytes) => Buffer.allocUnsafe(bytes),
    invalid: 'The report is not valid.',
    isNamedByPath: true,
  });
  if (!isRejected(result)) {
    const failure = await parts.append(device.entity, [result.record]);
    if (failure === undefined) result.onDurable?.();
    if (failure !== undefined || !wantsReceipt) return failure ?? acceptedAs(result, '');
    const receipt = await parts.receipts.single(fileId, result.acceptedAt, source);
    return acceptedAs(result, `,"receipt":${receipt}`);
  }
  const { refusal, notice, undo } = result;
  if (notice === undefined) return refusal;
  return (await appendOrUndo(parts.append, device.entity, [notice], undo)) ?? refusal;
}

/** The id of a report's record is `{fileId}:{sequence}`. */
const acceptedAs = ({ record: { key, id } }: AcceptedLine, receipt: string): string =>
  `{"fileId":"${key}","sequence":${id.slice(key.length + 1)}${receipt}}`;

/** Returns the current policy, because reading the body can take long. */
async function deviceOf(
  { devices }: ReportParts,
  address: DeviceAddress,
  fileId: string,
): Promise<DeviceSnapshot | Refusal> {
  const kept = devices.cached(address);
  const isEnough = kept !== undefined && refusalOfFile(kept, kept.files.get(fileId)) === undefined;
  return isEnough ? kept : devices.fresh(address);
}
