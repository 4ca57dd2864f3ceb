import {
  BulkAnswerSchema,
  BulkLineSchema,
  LIMITS,
  type BulkAnswer,
  type ErrorCode,
} from '@sentinel-node/contracts';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { BulkRun } from '../bulk-run.ts';
import type { BulkParts } from '../core.ts';
import { Refusal } from '../domain/refusal.ts';
import { answerOf } from './answers.ts';
import { bulkLines, reportsByBytes } from '../domain/bulk-lines.ts';
import {
  addressOf,
  DESCRIBED_ONLY,
  isReceiptWanted,
  RECEIPT_DESCRIPTION,
  withBody,
  type DeviceParams,
} from './device-call.ts';
import { rateRefusal } from '../refusal-of.ts';

const TOO_MANY_LINES = new Refusal('PAYLOAD_TOO_LARGE', { detail: `At most ${LIMITS.bulkLines} lines.` });

/** POST /files/bulk/{orgId}/{deviceId}: one report a line, gzip allowed; 202 with the outcome of each line. */
export function bulkRoute(app: FastifyInstance, parts: BulkParts): void {
  const schema = {
    tags: ['Agents'],
    summary: 'Sends many reports, one a line (application/x-ndjson)',
    description: RECEIPT_DESCRIPTION,
    consumes: ['application/x-ndjson'],
    body: BulkLineSchema,
    response: { 202: BulkAnswerSchema },
  };
  app.post<{ Params: DeviceParams }>(
    '/files/bulk/:orgId/:deviceId',
    { ...DESCRIBED_ONLY, schema, config: { access: 'deviceKey' } },
    async (request, reply) => {
      void reply.code(202).type('application/json; charset=utf-8');
      return answerOf(takeBulk(parts, request, reply));
    },
  );
}

/** Takes the body, and counts the outcome of each line; a body that is refused as a whole counts as one report. */
async function takeBulk(
  parts: BulkParts,
  request: FastifyRequest<{ Params: DeviceParams }>,
  reply: FastifyReply,
): Promise<BulkAnswer | Buffer | Refusal> {
  let run: BulkRun | undefined;
  let refused: ErrorCode | undefined = 'INTERNAL';
  try {
    const answer = await judgeBulk(parts, request, reply, (begun) => (run = begun));
    refused = answer instanceof Refusal ? answer.code : undefined;
    return answer;
  } finally {
    const counts = run?.outcome.counts() ?? new Map<ErrorCode | 'ACCEPTED', number>();
    // Where a full log refuses the body, its lines are counted already.
    if (refused !== undefined && !counts.has(refused)) counts.set(refused, 1);
    for (const [code, count] of counts) parts.counts.reports({ code }, count);
  }
}

/** @param onRun called before the lines are judged */
async function judgeBulk(
  parts: BulkParts,
  request: FastifyRequest<{ Params: DeviceParams }>,
  reply: FastifyReply,
  onRun: (run: BulkRun) => void,
): Promise<BulkAnswer | Buffer | Refusal> {
  const { devices, reportRates, backlog, bodies } = parts;
  const address = addressOf(request, request.params);
  const sender = await devices.find(address);
  if (sender instanceof Refusal) return sender;
  const { entity } = sender;
  // Each line counts separately, and the body by its bytes; a device without calls left need not send the body.
  const limited = rateRefusal(reportRates.exceeded(entity)) ?? backlog.refusalOf(entity.orgId);
  if (limited !== undefined) return limited;
  const { bulk: pool, pace, unpacking } = bodies;
  const wantsReceipt = isReceiptWanted(request, reply);
  const rules = {
    ...{ pool, pace, unpacking, maxBytes: LIMITS.bulkBytes, device: entity },
    onRefused: (bytes: number) => reportRates.charge(entity, reportsByBytes(bytes)),
  };
  return withBody(request, reply, rules, async (body, held) => {
    const lines = bulkLines(body, LIMITS.bulkLines);
    // The lines are counted when they are judged.
    reportRates.charge(entity, Math.max(0, reportsByBytes(held) - (lines?.length ?? 0)));
    if (lines === undefined) return TOO_MANY_LINES;
    // Reads the policy again, because reading the body can take long.
    const device = await devices.find(address);
    if (device instanceof Refusal) return device;
    const receipts = wantsReceipt ? parts.receipts : undefined;
    const run = new BulkRun({ ...parts, receipts }, address, device, body);
    onRun(run);
    return run.run(lines);
  });
}
